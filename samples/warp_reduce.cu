// sample: arch = compute_80
// sample: machine_code = reductions and matches of a warp
// The warp-wide reductions of sm_80 and asynchronous copies to shared memory.
#include "sample.h"

#include <algorithm>
#include <cuda_pipeline.h>

__global__ void reduce(const int *values, int *signed_out, unsigned *unsigned_out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, warp = i / 32, lane = threadIdx.x % 32;
    int value = values[i];
    int sum = __reduce_add_sync(0xffffffff, value);
    int low = __reduce_min_sync(0xffffffff, value), high = __reduce_max_sync(0xffffffff, value);
    unsigned both = __reduce_and_sync(0xffffffff, unsigned(value) | 0xf0);
    unsigned either = __reduce_or_sync(0xffffffff, unsigned(value) & 0xfff);
    unsigned parity = __reduce_xor_sync(0xffffffff, unsigned(value));
    int odd_lanes = 0;
    if (lane & 1) odd_lanes = __reduce_add_sync(0xaaaaaaaa, value);
    if (lane == 31) {
        int *s = signed_out + 4 * warp;
        s[0] = sum, s[1] = low, s[2] = high, s[3] = odd_lanes;
        unsigned *u = unsigned_out + 3 * warp;
        u[0] = both, u[1] = either, u[2] = parity;
    }
}

// Copies the next tile while it adds up the last.
__global__ void sum_tiles(const int4 *values, int tiles, int *sums) {
    __shared__ int4 buffer[2][32];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&buffer[0][t], &values[t], sizeof(int4));
    __pipeline_commit();
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles)
            __pipeline_memcpy_async(&buffer[(tile + 1) % 2][t], &values[(tile + 1) * 32 + t], sizeof(int4));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        int4 other = buffer[tile % 2][31 - t];
        sum += other.x - other.y + 2 * other.z - other.w;
        __syncthreads();
    }
    sums[t] = sum;
}

int main() {
    const int count = 512, warps = count / 32;
    Random random(19);
    auto host = random.numbers<int>(count, -1000000, 1000000);
    DeviceArray<int> values(host), signed_out(4 * warps);
    DeviceArray<unsigned> unsigned_out(3 * warps);
    reduce<<<4, count / 4>>>(values.get(), signed_out.get(), unsigned_out.get());
    CUDA_FINISH();
    std::vector<int> expected_signed(4 * warps);
    std::vector<unsigned> expected_unsigned(3 * warps);
    for (int warp = 0; warp < warps; ++warp) {
        int sum = 0, low = INT32_MAX, high = INT32_MIN, odd = 0;
        unsigned both = ~0u, either = 0, parity = 0;
        for (int lane = 0; lane < 32; ++lane) {
            int value = host[warp * 32 + lane];
            sum += value, low = std::min(low, value), high = std::max(high, value);
            both &= unsigned(value) | 0xf0, either |= unsigned(value) & 0xfff, parity ^= unsigned(value);
            if (lane & 1) odd += value;
        }
        int s[] = {sum, low, high, odd};
        unsigned u[] = {both, either, parity};
        std::copy(s, s + 4, &expected_signed[4 * warp]);
        std::copy(u, u + 3, &expected_unsigned[3 * warp]);
    }
    expect_equal("signed", signed_out.to_host(), expected_signed);
    expect_equal("unsigned", unsigned_out.to_host(), expected_unsigned);

    DeviceArray<int> sums(32);
    const int tiles = count / 128;
    sum_tiles<<<1, 32>>>((const int4 *)values.get(), tiles, sums.get());
    CUDA_FINISH();
    std::vector<int> expected(32, 0);
    for (int t = 0; t < 32; ++t)
        for (int tile = 0; tile < tiles; ++tile) {
            const int *four = &host[(tile * 32 + 31 - t) * 4];
            expected[t] += four[0] - four[1] + 2 * four[2] - four[3];
        }
    expect_equal("tiles", sums.to_host(), expected);
    return pass("warp_reduce");
}
