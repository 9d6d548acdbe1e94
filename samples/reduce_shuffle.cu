// Sums of an array: warps add with shuffles (down and butterfly), blocks through shared memory, and the
// grid with an atomic; a maximum the same way; shuffles of 64-bit values.
#include "sample.h"

#include <climits>

__device__ int warp_sum(int value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__device__ int warp_max(int value) {
    for (int mask = 16; mask > 0; mask /= 2) value = max(value, __shfl_xor_sync(0xffffffff, value, mask));
    return value;
}

__global__ void reduce(const int *values, int count, unsigned long long *sum, int *maximum) {
    __shared__ int warp_sums[32];
    int mine = 0, largest = INT_MIN;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        mine += values[i];
        largest = max(largest, values[i]);
    }
    mine = warp_sum(mine);
    largest = warp_max(largest);

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) {
        warp_sums[warp] = mine;
        atomicMax(maximum, largest);
    }
    __syncthreads();
    if (warp == 0) {
        mine = lane < blockDim.x / 32 ? warp_sums[lane] : 0;
        mine = warp_sum(mine);
        if (lane == 0) atomicAdd(sum, (unsigned long long)(long long)mine);
    }
}

// Shuffles of doubles and of 64-bit integers go as two halves.
__global__ void rotate(const double *from, double *to, const long long *from_long, long long *to_long) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int next = (threadIdx.x + 5) % 32;
    to[i] = __shfl_sync(0xffffffff, from[i], next);
    to_long[i] = __shfl_up_sync(0xffffffff, from_long[i], 3, 8);
}

int main(int argc, char **argv) {
    int count = size_argument(argc, argv, 30011);
    Random random(4);
    auto values = random.numbers<int>(count, -10000, 10000);
    DeviceArray<int> device_values(values);
    DeviceArray<unsigned long long> device_sum(1);
    DeviceArray<int> device_maximum(std::vector<int>{INT_MIN});
    device_sum.fill_bytes(0);

    reduce<<<10, 192>>>(device_values.get(), count, device_sum.get(), device_maximum.get());
    CUDA_FINISH();

    long long sum = 0;
    int maximum = INT_MIN;
    for (int value : values) {
        sum += value;
        maximum = value > maximum ? value : maximum;
    }
    expect_equal("sum", (long long)device_sum.to_host()[0], sum);
    expect_equal("maximum", device_maximum.to_host()[0], maximum);

    auto doubles = random.numbers<double>(128, -1, 1);
    auto longs = random.numbers<long long>(128, -9e17, 9e17);
    DeviceArray<double> from(doubles), to(128);
    DeviceArray<long long> from_long(longs), to_long(128);
    rotate<<<2, 64>>>(from.get(), to.get(), from_long.get(), to_long.get());
    CUDA_FINISH();

    std::vector<double> rotated(128);
    std::vector<long long> shifted(128);
    for (int i = 0; i < 128; ++i) {
        rotated[i] = doubles[i / 32 * 32 + (i + 5) % 32];
        shifted[i] = i % 8 >= 3 ? longs[i - 3] : longs[i];
    }
    expect_equal("rotated", to.to_host(), rotated);
    expect_equal("shifted", to_long.to_host(), shifted);
    return pass("reduce_shuffle");
}
