// Prefix sums: in three launches (blocks, block sums, addition), and in a single pass in which each block
// waits for the running total of the one before it.
#include "sample.h"

constexpr int BLOCK = 256;

// The inclusive scan of a block's values; all threads must come.
__device__ unsigned block_scan(unsigned value, unsigned *scratch) {
    int t = threadIdx.x;
    scratch[t] = value;
    __syncthreads();
    for (int distance = 1; distance < BLOCK; distance *= 2) {
        unsigned before = t >= distance ? scratch[t - distance] : 0;
        __syncthreads();
        scratch[t] += before;
        __syncthreads();
    }
    return scratch[t];
}

__global__ void scan_blocks(const unsigned *values, unsigned *scanned, unsigned *totals, int count) {
    __shared__ unsigned scratch[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    unsigned sum = block_scan(i < count ? values[i] : 0, scratch);
    if (i < count) scanned[i] = sum;
    if (totals && threadIdx.x == BLOCK - 1) totals[blockIdx.x] = sum;
}

__global__ void add_totals(unsigned *scanned, const unsigned *totals, int count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (blockIdx.x > 0 && i < count) scanned[i] += totals[blockIdx.x - 1];
}

// Blocks take their numbers in the order in which they start, so that the one before has always started.
__global__ void scan_single_pass(const unsigned *values, unsigned *scanned, int count, unsigned *next_block,
                                 volatile unsigned *totals, volatile unsigned *ready) {
    __shared__ unsigned scratch[BLOCK];
    __shared__ unsigned block, before;
    if (threadIdx.x == 0) block = atomicAdd(next_block, 1);
    __syncthreads();
    int i = block * BLOCK + threadIdx.x;
    unsigned sum = block_scan(i < count ? values[i] : 0, scratch);
    if (threadIdx.x == 0) {
        before = 0;
        if (block > 0) {
            while (!ready[block - 1]) {
            }
            __threadfence();
            before = totals[block - 1];
        }
        totals[block] = before + scratch[BLOCK - 1];
        __threadfence();
        ready[block] = 1;
    }
    __syncthreads();
    if (i < count) scanned[i] = before + sum;
}

int main(int argc, char **argv) {
    int count = size_argument(argc, argv, 5000);
    int blocks = (count + BLOCK - 1) / BLOCK;
    if (blocks > BLOCK) fail("at most %d values", BLOCK * BLOCK);
    Random random(6);
    auto host = random.numbers<unsigned>(count, 0, 4e9);
    std::vector<unsigned> expected(count);
    unsigned sum = 0;
    for (int i = 0; i < count; ++i) expected[i] = sum += host[i];

    DeviceArray<unsigned> values(host), scanned(count), totals(blocks), ready(blocks), next_block(1);
    scan_blocks<<<blocks, BLOCK>>>(values.get(), scanned.get(), totals.get(), count);
    scan_blocks<<<1, BLOCK>>>(totals.get(), totals.get(), nullptr, blocks);
    add_totals<<<blocks, BLOCK>>>(scanned.get(), totals.get(), count);
    CUDA_FINISH();
    expect_equal("three launches", scanned.to_host(), expected);

    scanned.fill_bytes(0);
    ready.fill_bytes(0);
    next_block.fill_bytes(0);
    scan_single_pass<<<blocks, BLOCK>>>(values.get(), scanned.get(), count, next_block.get(), totals.get(),
                                        ready.get());
    CUDA_FINISH();
    expect_equal("single pass", scanned.to_host(), expected);
    return pass("scan");
}
