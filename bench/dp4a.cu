#include "cuda_bench.h"
#include "sizes.h"

constexpr int BLOCKS = QUANTISED_COLUMNS / QUANTISED_BLOCK, WORDS = QUANTISED_BLOCK / 4;

// A warp a row: a lane multiplies a block of bytes by one of the vector's, and both have a factor.
__global__ void multiply(const int *weights, const float *weight_factors, const int *vector, const float *factors,
                         float *out) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int block = lane; block < BLOCKS; block += 32) {
        int products = 0;
#pragma unroll
        for (int i = 0; i < WORDS; ++i)
            products = __dp4a(weights[(row * BLOCKS + block) * WORDS + i], vector[block * WORDS + i], products);
        sum += products * weight_factors[row * BLOCKS + block] * factors[block];
    }
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) out[row] = sum;
}

__global__ void stream(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = 0x01020304 * (i & 15), b[4] = {0x0103fe05 ^ i, 0x7103ae25 + i, i, ~i}, sums[4] = {i, i + 1, i + 2, i + 3};
    for (int step = 0; step < DP4A_STEPS; step += 4) {
#pragma unroll
        for (int chain = 0; chain < 4; ++chain) {
            sums[chain] = __dp4a(a, b[chain], sums[chain]);
            // Keeps the products from being computed once.
            b[chain] += 0x01010101;
        }
    }
    out[i] = sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
}

int main() {
    const int bytes = QUANTISED_ROWS * QUANTISED_COLUMNS;
    auto *weights = (int *)to_device(random_integers<unsigned char>(bytes, 256, 1));
    auto *vector = (int *)to_device(random_integers<unsigned char>(QUANTISED_COLUMNS, 256, 2));
    float *weight_factors = to_device(random_floats(QUANTISED_ROWS * BLOCKS, 3)), *factors = to_device(random_floats(BLOCKS, 4));
    float *out = on_device<float>(QUANTISED_ROWS);
    measure_kernel("matvec_dp4a", out, QUANTISED_ROWS, [&] {
        multiply<<<QUANTISED_ROWS / 8, 256>>>(weights, weight_factors, vector, factors, out);
    });
    int *sums = on_device<int>(DP4A_THREADS);
    measure_kernel("dp4a", sums, DP4A_THREADS, [&] { stream<<<DP4A_THREADS / 256, 256>>>(sums); });
}
