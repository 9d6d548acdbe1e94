#include "cuda_bench.h"
#include "sizes.h"

__global__ void reduce(const float *values, int count, float *sums) {
    __shared__ float warp_sums[8];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += values[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = warp_sums[threadIdx.x];
        for (int offset = 4; offset > 0; offset /= 2) sum += __shfl_down_sync(0xff, sum, offset);
        if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    }
}

int main() {
    const int blocks = 256;
    float *values = to_device(random_floats(REDUCTION_COUNT, 1)), *sums = to_device(std::vector<float>(blocks + 1));
    auto times = times_of_kernel([&] {
        reduce<<<blocks, 256>>>(values, REDUCTION_COUNT, sums);
        reduce<<<1, 256>>>(sums, blocks, sums + blocks);
    });
    print_times("reduction", times, to_host(sums + blocks, 1)[0]);
}
