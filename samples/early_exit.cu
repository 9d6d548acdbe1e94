// Threads that leave a kernel while others go on to barriers, shuffles and loops: whole warps, single lanes, from
// inside loops and from inside functions; and breaks, continues and returns at different times.
#include "sample.h"

// Whole warps and single lanes leave before the barriers; those that stay add up what they brought.
__global__ void leave_before_barriers(const int *values, int *sums, int staying) {
    __shared__ int shared[128];
    int t = threadIdx.x;
    shared[t] = 0;
    __syncthreads();
    if (t >= staying) return;
    shared[t] = values[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int distance = 64; distance > 0; distance /= 2) {
        int other = t + distance < staying ? shared[t + distance] : 0;
        __syncthreads();
        if (t < distance) shared[t] += other;
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = shared[0];
}

// After each round more threads leave; the others count themselves at a barrier.
__global__ void leave_by_rounds(int *counts, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        if (threadIdx.x % (rounds + 1) == round) return;
        int present = __syncthreads_count(1);
        bool all_odd = __syncthreads_and(threadIdx.x % 2), any_seven = __syncthreads_or(threadIdx.x == 7);
        if (threadIdx.x % (rounds + 1) == rounds && threadIdx.x == rounds)
            counts[blockIdx.x * rounds + round] = present * 4 + all_odd * 2 + any_seven;
    }
}

__device__ void exit_thread() { asm volatile("exit;"); }

__device__ int find_first_factor(int n) {
    for (int factor = 2;; ++factor) {
        if (factor * factor > n) return n;
        if (n % factor) continue;
        return factor;
    }
}

// A thread may end inside a function, in a divergent loop.
__global__ void end_inside(int *out, int limit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = find_first_factor(i + 2);
    for (int k = 0; k < limit; ++k) {
        if ((i * 7 + k * 3) % 11 == 0) exit_thread();
        if ((i + k) % 5 == 0) continue;
        out[i] += 1000;
        if (out[i] > 6000) break;
    }
    out[i] += 1000000;
    // The lanes that are still here talk to each other.
    unsigned here = __activemask();
    out[i] += __shfl_sync(here, 100000, __ffs(here) - 1);
}

int main() {
    const int blocks = 3, threads = 128;
    Random random(23);
    auto host = random.numbers<int>(blocks * threads, -1000, 1000);
    DeviceArray<int> values(host), sums(blocks);
    for (int staying : {128, 96, 70, 33, 1}) {
        leave_before_barriers<<<blocks, threads>>>(values.get(), sums.get(), staying);
        CUDA_FINISH();
        std::vector<int> expected(blocks, 0);
        for (int block = 0; block < blocks; ++block)
            for (int t = 0; t < staying; ++t) expected[block] += host[block * threads + t];
        expect_equal("sums", sums.to_host(), expected);
    }

    const int rounds = 5;
    DeviceArray<int> counts(2 * rounds);
    leave_by_rounds<<<2, 100>>>(counts.get(), rounds);
    CUDA_FINISH();
    std::vector<int> expected_counts(2 * rounds);
    for (int round = 0; round < rounds; ++round) {
        int present = 0, all_odd = 1, any_seven = 0;
        for (int t = 0; t < 100; ++t)
            if (t % (rounds + 1) > round) present += 1, all_odd &= t % 2, any_seven |= t == 7;
        for (int block = 0; block < 2; ++block)
            expected_counts[block * rounds + round] = present * 4 + all_odd * 2 + any_seven;
    }
    expect_equal("present at barriers", counts.to_host(), expected_counts);

    const int count = 160;
    DeviceArray<int> out(count);
    end_inside<<<2, count / 2>>>(out.get(), 9);
    CUDA_FINISH();
    std::vector<int> expected(count);
    for (int i = 0; i < count; ++i) {
        int n = i + 2, factor = 2;
        while (factor * factor <= n && n % factor) ++factor;
        expected[i] = factor * factor > n ? n : factor;
        bool ended = false;
        for (int k = 0; k < 9 && !ended; ++k) {
            if ((i * 7 + k * 3) % 11 == 0) ended = true;
            else if ((i + k) % 5 != 0 && (expected[i] += 1000) > 6000) break;
        }
        if (!ended) expected[i] += 1100000;
    }
    expect_equal("ended inside a function", out.to_host(), expected);
    return pass("early_exit");
}
