// Reductions whose result lies in shared memory that the next one begins to overwrite without a barrier between, and a value
// that one thread reads while others are on the way to overwrite it. Both are races, and frequent ones: GPUs read before
// they overwrite, since warps leave a barrier side by side. (Where every one of 32 warps reads partial sums of all, an
// H100 does not.)
// sample: race = what it relies on is what ZLUDA_CHAOS varies
#include "sample.h"

constexpr int ROUNDS = 20;

enum Reduction { FIRST_WARP, EVERY_WARP, FIRST_THREAD };

__device__ float warp_sum(float value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
}

// The sum over the block; the last access is that of all warps to `partial`.
template <Reduction HOW>
__device__ float block_sum(float value) {
    __shared__ float partial[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    value = warp_sum(value);
    if (lane == 0) partial[warp] = value;
    __syncthreads();
    float mine = lane < warps ? partial[lane] : 0;
    if (HOW == EVERY_WARP) return warp_sum(mine);
    if (HOW == FIRST_WARP && warp == 0) {
        mine = warp_sum(mine);
        if (lane == 0) partial[0] = mine;
    }
    if (HOW == FIRST_THREAD) {
        __syncthreads();
        if (threadIdx.x == 0)
            for (int other = 1; other < warps; other++) partial[0] += partial[other];
    }
    __syncthreads();
    return partial[0];
}

// Sums of 0 to n - 1 and of their squares, many times in a row.
template <Reduction HOW>
__global__ void moments(double *sums, double *squares) {
    int thread = threadIdx.x;
    double sum = 0, square = 0;
    for (int round = 0; round < ROUNDS; round++) {
        sum += block_sum<HOW>(float(thread));
        square += block_sum<HOW>(float(thread % 8 * (thread % 8)));
    }
    sums[thread] = sum;
    squares[thread] = square;
}

// The first thread reads what another one writes over once it has read and divided, as a softmax in place does whose
// first thread takes the loss.
__global__ void remainders(int *values, int divisor, int *read) {
    __syncthreads();
    if (threadIdx.x == 0) read[0] = values[blockDim.x - 1];
    values[threadIdx.x] = values[threadIdx.x] % divisor;
}

void check_first_thread() {
    for (int threads = 64; threads <= 1024; threads *= 2) {
        DeviceArray<int> values(std::vector<int>(threads, 7)), read(1);
        remainders<<<1, threads>>>(values.get(), 7, read.get());
        CUDA_FINISH();
        expect_equal("a value read by the first thread", read.to_host(), std::vector<int>{7});
    }
}

template <Reduction HOW>
void check(const char *name, int most_threads) {
    for (int threads = 64; threads <= most_threads; threads *= 2) {
        DeviceArray<double> sums(threads), squares(threads);
        moments<HOW><<<1, threads>>>(sums.get(), squares.get());
        CUDA_FINISH();
        expect_equal(name, sums.to_host(), std::vector<double>(threads, ROUNDS * threads * (threads - 1) / 2.0));
        expect_equal(name, squares.to_host(), std::vector<double>(threads, ROUNDS * (threads / 8) * 140.0));
    }
}

int main() {
    check<FIRST_WARP>("a sum by the first warp", 1024);
    check<EVERY_WARP>("a sum by every warp", 256);
    check<FIRST_THREAD>("a sum by the first thread", 1024);
    check_first_thread();
    return pass("missing_barriers");
}
