#include "cuda_bench.h"
#include "sizes.h"

constexpr int N = TRANSPOSE_SIZE, TILE = 32, ROWS_A_STEP = 8;

__global__ void naive(const float *from, float *to) {
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * ROWS_A_STEP + threadIdx.y;
    to[column * N + row] = from[row * N + column];
}

__global__ void shared(const float *from, float *to) {
    __shared__ float tile[TILE][TILE + 1];
    int column = blockIdx.x * TILE, row = blockIdx.y * TILE, x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE; y += ROWS_A_STEP) tile[y][x] = from[(row + y) * N + column + x];
    __syncthreads();
    for (int y = threadIdx.y; y < TILE; y += ROWS_A_STEP) to[(column + y) * N + row + x] = tile[x][y];
}

int main() {
    float *from = to_device(random_floats(N * N, 1)), *to = on_device<float>(N * N);
    dim3 block(TILE, ROWS_A_STEP), grid(N / TILE, N / ROWS_A_STEP), tiles(N / TILE, N / TILE);
    measure_kernel("transpose_naive", to, N * N, [&] { naive<<<grid, block>>>(from, to); });
    measure_kernel("transpose_shared", to, N * N, [&] { shared<<<tiles, block>>>(from, to); });
}
