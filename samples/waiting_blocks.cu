// Blocks that wait for later ones, which a GPU holds beside them: in loops whose end depends on what was read only by the way
// that control takes, and in loops with barriers, where one thread reads for all.
// sample: cpu = emulated GPUs run one block after the other
#include "sample.h"

// A word is free when what lies 32 words further is: the last row is. Rows belong to blocks in turn, as in n-body's trees.
template <bool barrier>
__global__ void chain(volatile int *words, int count) {
    int step = blockDim.x * gridDim.x;
    int k = count - step + threadIdx.x + blockIdx.x * blockDim.x;
    while (k >= 0) {
        int rank = words[k];
        if (rank >= 0) {
            if (k >= 32) words[k - 32] = rank + 1;
            k -= step;
        }
        if (barrier) __syncthreads();
    }
}

__global__ void relay(volatile int *words) {
    __shared__ int shared;
    int next = blockIdx.x + 1, rank = 0;
    while (next < gridDim.x) {
        if (threadIdx.x == 0) shared = words[next];
        __syncthreads();
        rank = shared;
        __syncthreads();
        if (rank > 0) break;
    }
    if (threadIdx.x == 0) words[blockIdx.x] = rank + 1;
}

template <typename Launch>
static void check(const char *name, const std::vector<int> &before, const std::vector<int> &after, Launch launch) {
    DeviceArray<int> words(before);
    launch(words.get());
    CUDA(cudaGetLastError());
    expect_equal(name, words.to_host(), after);
}

int main() {
    for (int blocks : {2, 5}) {
        int count = blocks * 64 * 2;
        std::vector<int> before(count, -1), after(count);
        for (int i = 0; i < count; i++) after[i] = (count - 1 - i) / 32;
        for (int i = count - 32; i < count; i++) before[i] = 0;
        check("chain", before, after, [&](int *words) { chain<false><<<blocks, 64>>>(words, count); });
        check("chain with barriers", before, after, [&](int *words) { chain<true><<<blocks, 64>>>(words, count); });

        std::vector<int> ranks(blocks);
        for (int i = 0; i < blocks; i++) ranks[i] = blocks - i;
        check("relay", std::vector<int>(blocks), ranks, [&](int *words) { relay<<<blocks, 64>>>(words); });
    }
    return pass("waiting_blocks");
}
