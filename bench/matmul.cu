#include "cuda_bench.h"
#include "sizes.h"

constexpr int N = MATMUL_SIZE, TILE = 16;

__global__ void naive(const float *a, const float *b, float *c) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += a[row * N + k] * b[k * N + column];
    c[row * N + column] = sum;
}

__global__ void tiled(const float *a, const float *b, float *c) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int start = 0; start < N; start += TILE) {
        tile_a[y][x] = a[row * N + start + x];
        tile_b[y][x] = b[(start + y) * N + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * N + column] = sum;
}

int main() {
    float *a = to_device(random_floats(N * N, 1)), *b = to_device(random_floats(N * N, 2));
    float *c = to_device(std::vector<float>(N * N));
    dim3 grid(N / TILE, N / TILE), block(TILE, TILE);
    auto naive_times = times_of_kernel([&] { naive<<<grid, block>>>(a, b, c); });
    print_times("matmul_naive", naive_times, sum_of(to_host(c, N * N)));
    auto tiled_times = times_of_kernel([&] { tiled<<<grid, block>>>(a, b, c); });
    print_times("matmul_tiled", tiled_times, sum_of(to_host(c, N * N)));
}
