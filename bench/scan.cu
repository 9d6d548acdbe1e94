#include "cuda_bench.h"
#include "sizes.h"

constexpr int THREADS = 256, EACH = 4, PART = THREADS * EACH;
static_assert(SCAN_COUNT % PART == 0 && SCAN_COUNT / PART <= PART);

__device__ int scan_of_warp(int value) {
    for (int offset = 1; offset < 32; offset *= 2) {
        int before = __shfl_up_sync(0xffffffff, value, offset);
        if (threadIdx.x % 32 >= offset) value += before;
    }
    return value;
}

// Inclusive sums of parts, each from a block, and the sum of the whole part.
__global__ void scan_parts(const int4 *values, int4 *sums, int *totals) {
    __shared__ int warps[THREADS / 32];
    int i = blockIdx.x * THREADS + threadIdx.x, warp = threadIdx.x / 32;
    int4 v = values[i];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    int sum = scan_of_warp(v.w);
    if (threadIdx.x % 32 == 31) warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        int total = scan_of_warp(threadIdx.x < THREADS / 32 ? warps[threadIdx.x] : 0);
        if (threadIdx.x < THREADS / 32) warps[threadIdx.x] = total;
    }
    __syncthreads();
    int before = sum - v.w + (warp > 0 ? warps[warp - 1] : 0);
    sums[i] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
    if (threadIdx.x == THREADS - 1) totals[blockIdx.x] = v.w + before;
}

__global__ void add_before(int4 *sums, const int *totals) {
    if (blockIdx.x == 0) return;
    int i = blockIdx.x * THREADS + threadIdx.x, before = totals[blockIdx.x - 1];
    int4 v = sums[i];
    sums[i] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}

int main() {
    const int blocks = SCAN_COUNT / PART;
    int *values = to_device(random_integers<int>(SCAN_COUNT, 1000, 1)), *sums = on_device<int>(SCAN_COUNT);
    int *totals = on_device<int>(PART), *total = on_device<int>(1);
    measure_kernel("scan_shuffles", sums, SCAN_COUNT, [&] {
        scan_parts<<<blocks, THREADS>>>((int4 *)values, (int4 *)sums, totals);
        scan_parts<<<1, THREADS>>>((int4 *)totals, (int4 *)totals, total);
        add_before<<<blocks, THREADS>>>((int4 *)sums, totals);
    });
}
