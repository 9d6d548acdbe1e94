// malloc and free of many threads at once: what they get does not overlap, is aligned, and all of it comes back.
#include "sample.h"

// Each thread holds up to four pieces, filled with words that only it knows.
__global__ void churn(int rounds, int *counts) {
    unsigned seed = blockIdx.x * 7919 + threadIdx.x * 104729 + 1;
    unsigned *held[4] = {}, sizes[4] = {};
    for (int round = 0; round < rounds; ++round) {
        seed = seed * 1664525u + 1013904223u;
        int slot = seed >> 28 & 3;
        unsigned *&piece = held[slot];
        if (piece) {
            for (unsigned i = 0; i < sizes[slot]; ++i)
                if (piece[i] != (unsigned)(size_t)piece + i) atomicAdd(&counts[0], 1);
            free(piece);
        }
        sizes[slot] = (seed >> 8) % 60 + 1;
        piece = (unsigned *)malloc(sizes[slot] * 4);
        if (!piece) { atomicAdd(&counts[1], 1); continue; }
        if ((size_t)piece % 16) atomicAdd(&counts[2], 1);
        for (unsigned i = 0; i < sizes[slot]; ++i) piece[i] = (unsigned)(size_t)piece + i;
    }
    for (unsigned *piece : held) free(piece);
}

// Takes nearly all of the heap in one piece, which nobody else can have then.
__global__ void take_all(size_t bytes, int *got) {
    void *all = malloc(bytes);
    void *more = malloc(bytes / 8);
    got[0] = all != nullptr;
    got[1] = more != nullptr;
    free(all);
    free(more);
    free(nullptr);
}

int main() {
    size_t bytes = 0;
    CUDA(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
    DeviceArray<int> counts(std::vector<int>(3, 0)), got(std::vector<int>(2, -1));
    for (int repetition = 0; repetition < 2; ++repetition) {
        churn<<<6, 96>>>(40, counts.get());
        CUDA_FINISH();
        expect_equal("overlapping, refused and misaligned pieces", counts.to_host(), std::vector<int>{0, 0, 0});
        take_all<<<1, 1>>>(bytes / 16 * 15, got.get());
        CUDA_FINISH();
        expect_equal("all of the heap, and more", got.to_host(), std::vector<int>{1, 0});
    }
    return pass("device_heap");
}
