// Barriers by number: half of a block's warps bring values, the other half takes them, and neither waits for its own.
// sample: machine_code = barriers of a part of the block
#include "sample.h"

__global__ void hand_over(const int *values, int *sums, int rounds) {
    __shared__ int shared[64];
    int t = threadIdx.x, sum = 0;
    for (int round = 0; round < rounds; ++round) {
        if (t < 64) {
            shared[t] = values[round * 64 + t];
            asm volatile("barrier.arrive 1, 128;" ::: "memory");
            asm volatile("barrier.sync 2, 128;" ::: "memory");
        } else {
            asm volatile("barrier.sync 1, 128;" ::: "memory");
            sum += shared[t - 64];
            asm volatile("barrier.arrive 2, 128;" ::: "memory");
        }
    }
    if (t >= 64) sums[t - 64] = sum;
}

// Each pair of warps has a barrier of its own, which the pairs come to at different times.
__global__ void pairs(int *counts) {
    int pair = threadIdx.x / 64, mine = threadIdx.x % 64;
    int total = 0;
    for (int round = 0; round <= pair; ++round) {
        int count;
        asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, %2; barrier.red.popc.u32 %0, %3, 64, p; }"
                     : "=r"(count) : "r"(mine), "r"(round * 10), "r"(pair + 1));
        total += count;
    }
    counts[threadIdx.x] = total;
}

// Threads that have exited are not waited for.
__global__ void leave(int *seen) {
    __shared__ int shared;
    if (threadIdx.x == 0) shared = 0;
    __syncthreads();
    if (threadIdx.x >= 96) return;
    atomicAdd(&shared, 1);
    asm volatile("barrier.sync 5;" ::: "memory");
    seen[threadIdx.x] = shared;
}

int main() {
    const int rounds = 20, threads = 256;
    Random random(5);
    auto values = random.numbers<int>(rounds * 64, -1000, 1000);
    DeviceArray<int> device_values(values), sums(64), counts(threads), seen(96);
    hand_over<<<1, 128>>>(device_values.get(), sums.get(), rounds);
    CUDA_FINISH();
    std::vector<int> expected(64, 0);
    for (int round = 0; round < rounds; ++round)
        for (int t = 0; t < 64; ++t) expected[t] += values[round * 64 + t];
    expect_equal("sums", sums.to_host(), expected);

    pairs<<<1, threads>>>(counts.get());
    CUDA_FINISH();
    std::vector<int> expected_counts(threads);
    for (int t = 0; t < threads; ++t)
        for (int round = 0; round <= t / 64; ++round) expected_counts[t] += 63 - round * 10;
    expect_equal("counts", counts.to_host(), expected_counts);

    leave<<<1, 160>>>(seen.get());
    CUDA_FINISH();
    expect_equal("threads before the barrier", seen.to_host(), std::vector<int>(96, 96));
    return pass("named_barriers");
}
