// malloc and free of many threads at once: what they get does not overlap, is aligned, and all of it comes back.
// sample: machine_code = calls of malloc and free
#include "sample.h"

// What cuda::std::aligned_alloc calls.
extern "C" __device__ void *__cuda_syscall_aligned_malloc(size_t bytes, size_t alignment);

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

__device__ int alive;

struct Counted {
    unsigned value;
    __device__ Counted() : value(~0u) { atomicAdd(&alive, 1); }
    __device__ ~Counted() { atomicAdd(&alive, value == ~0u ? -1 : -1000000); }
};

// nvcc keeps the length of such an array before the memory that it asked for. Pieces beside it must not feel that.
__global__ void arrays(int rounds, int *wrong) {
    for (int round = 0; round < rounds; ++round) {
        int length = (threadIdx.x + round) % 7 + 1;
        unsigned *before = (unsigned *)malloc(16), *after = nullptr;
        for (int i = 0; i < 4; ++i) before[i] = threadIdx.x * 4 + i;
        Counted *array = new Counted[length];
        after = (unsigned *)malloc(16);
        for (int i = 0; i < 4; ++i) after[i] = ~before[i];
        for (int i = 0; i < 4; ++i)
            if (before[i] != threadIdx.x * 4 + i || after[i] != ~(threadIdx.x * 4 + i)) atomicAdd(wrong, 1);
        free(before);
        delete[] array;
        free(after);
    }
}

// Of each alignment two pieces, so that what lies between them is memory for others.
__global__ void aligned(int *wrong) {
    size_t alignment = (size_t)1 << threadIdx.x;
    char *pieces[2];
    for (char *&piece : pieces) {
        piece = (char *)__cuda_syscall_aligned_malloc(40, alignment);
        if (!piece || (size_t)piece % alignment) atomicAdd(wrong, 1);
        if (piece) memset(piece, (int)threadIdx.x, 40);
        if (__cuda_syscall_aligned_malloc(40, alignment * 3)) atomicAdd(wrong, 1);
    }
    for (char *piece : pieces) {
        for (int i = 0; piece && i < 40; ++i) if (piece[i] != (int)threadIdx.x) atomicAdd(wrong, 1);
        free(piece);
    }
    if (__cuda_syscall_aligned_malloc(40, 0) || __cuda_syscall_aligned_malloc((size_t)1 << 60, 16)) atomicAdd(wrong, 1);
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
        DeviceArray<int> wrong(std::vector<int>(2, 0));
        arrays<<<4, 64>>>(20, wrong.get());
        aligned<<<1, 17>>>(wrong.get() + 1);
        CUDA_FINISH();
        expect_equal("arrays and aligned pieces", wrong.to_host(), std::vector<int>{0, 0});
        int left = -1;
        CUDA(cudaMemcpyFromSymbol(&left, alive, sizeof left));
        expect_equal("elements of arrays", std::vector<int>{left}, std::vector<int>{0});
        take_all<<<1, 1>>>(bytes / 16 * 15, got.get());
        CUDA_FINISH();
        expect_equal("all of the heap, and more", got.to_host(), std::vector<int>{1, 0});
    }
    return pass("device_heap");
}
