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

// Halves in shared memory, with a barrier after each.
__global__ void reduce_tree(const float *values, int count, float *sums) {
    __shared__ float tree[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    tree[threadIdx.x] = i < count ? values[i] : 0;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) tree[threadIdx.x] += tree[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = tree[0];
}

int main() {
    const int blocks = 256;
    float *values = to_device(random_floats(REDUCTION_COUNT, 1)), *sums = to_device(std::vector<float>(blocks + 1));
    measure_kernel("reduction", sums + blocks, 1, [&] {
        reduce<<<blocks, 256>>>(values, REDUCTION_COUNT, sums);
        reduce<<<1, 256>>>(sums, blocks, sums + blocks);
    });
    const int blocks_1 = (REDUCTION_COUNT + 255) / 256, blocks_2 = (blocks_1 + 255) / 256;
    static_assert(blocks_2 <= 256, "three launches are enough");
    float *sums_1 = on_device<float>(blocks_1), *sums_2 = on_device<float>(blocks_2), *sum = on_device<float>(1);
    measure_kernel("reduction_tree", sum, 1, [&] {
        reduce_tree<<<blocks_1, 256>>>(values, REDUCTION_COUNT, sums_1);
        reduce_tree<<<blocks_2, 256>>>(sums_1, blocks_1, sums_2);
        reduce_tree<<<1, 256>>>(sums_2, blocks_2, sum);
    });
}
