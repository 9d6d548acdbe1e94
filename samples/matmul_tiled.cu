// Matrix product through tiles in shared memory, with __syncthreads() around every tile.
#include "sample.h"

constexpr int TILE = 16;

__global__ void matmul(const float *a, const float *b, float *c, int size) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int start = 0; start < size; start += TILE) {
        tile_a[y][x] = row < size && start + x < size ? a[row * size + start + x] : 0;
        tile_b[y][x] = start + y < size && column < size ? b[(start + y) * size + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    if (row < size && column < size) c[row * size + column] = sum;
}

int main(int argc, char **argv) {
    int size = size_argument(argc, argv, 72);
    Random random(3);
    auto a = random.numbers<float>(size * size, -1, 1);
    auto b = random.numbers<float>(size * size, -1, 1);
    DeviceArray<float> device_a(a), device_b(b), device_c(size * size);

    int tiles = (size + TILE - 1) / TILE;
    matmul<<<dim3(tiles, tiles), dim3(TILE, TILE)>>>(device_a.get(), device_b.get(), device_c.get(), size);
    CUDA_FINISH();

    std::vector<float> expected(size * size);
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column) {
            double sum = 0;
            for (int k = 0; k < size; ++k) sum += double(a[row * size + k]) * b[k * size + column];
            expected[row * size + column] = float(sum);
        }
    // `size` roundings of sums below `size`, each at most half a unit in the last place.
    auto c = device_c.to_host();
    expect_near("product", c, expected, double(size) * size * 6e-8);
    print_hash("product", c);
    return pass("matmul_tiled");
}
