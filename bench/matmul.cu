#include "cuda_bench.h"
#include "sizes.h"

constexpr int N = MATMUL_SIZE, TILE = 16;
// Outputs of a thread in a row and in a column, of a block, and the depth of a step of the register-tiled product.
constexpr int EACH = 4, WIDE = EACH * TILE, DEPTH = 16;

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

__global__ void registers(const float *a, const float *b, float *c) {
    __shared__ float tile_a[DEPTH][WIDE];
    __shared__ float4 tile_b[DEPTH][WIDE / 4];
    int x = threadIdx.x, y = threadIdx.y, thread = y * TILE + x;
    int row = blockIdx.y * WIDE, column = blockIdx.x * WIDE;
    float sums[EACH][EACH] = {};
    for (int start = 0; start < N; start += DEPTH) {
        // Four neighbours of a row of each factor a thread; the first factor's lie in columns.
        float4 part = *(const float4 *)&a[(row + thread / 4) * N + start + thread % 4 * 4];
        tile_a[thread % 4 * 4 + 0][thread / 4] = part.x;
        tile_a[thread % 4 * 4 + 1][thread / 4] = part.y;
        tile_a[thread % 4 * 4 + 2][thread / 4] = part.z;
        tile_a[thread % 4 * 4 + 3][thread / 4] = part.w;
        tile_b[y][x] = *(const float4 *)&b[(start + y) * N + column + x * 4];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            float4 left = *(const float4 *)&tile_a[k][y * EACH], right = tile_b[k][x];
            float lefts[] = {left.x, left.y, left.z, left.w}, rights[] = {right.x, right.y, right.z, right.w};
#pragma unroll
            for (int i = 0; i < EACH; ++i)
#pragma unroll
                for (int j = 0; j < EACH; ++j) sums[i][j] += lefts[i] * rights[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; ++i)
        *(float4 *)&c[(row + y * EACH + i) * N + column + x * EACH] =
            make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

int main() {
    float *a = to_device(random_floats(N * N, 1)), *b = to_device(random_floats(N * N, 2));
    float *c = to_device(std::vector<float>(N * N));
    dim3 grid(N / TILE, N / TILE), block(TILE, TILE);
    measure_kernel("matmul_naive", c, N * N, [&] { naive<<<grid, block>>>(a, b, c); });
    measure_kernel("matmul_tiled", c, N * N, [&] { tiled<<<grid, block>>>(a, b, c); });
    dim3 wide(N / WIDE, N / WIDE);
    measure_kernel("matmul_registers", c, N * N, [&] { registers<<<wide, dim3(TILE, TILE)>>>(a, b, c); });
}
