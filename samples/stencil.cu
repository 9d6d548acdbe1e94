// A 5x5 convolution whose weights lie in constant memory, with a halo in shared memory; the weights change
// between launches, also in part.
#include "sample.h"

#include <algorithm>

constexpr int RADIUS = 2, SIDE = 2 * RADIUS + 1, TILE = 16;

__constant__ float weights[SIDE * SIDE];
__constant__ struct {
    int width, height;
    float scale;
} shape;

__global__ void convolve(const float *image, float *result) {
    __shared__ float tile[TILE + 2 * RADIUS][TILE + 2 * RADIUS];
    int left = blockIdx.x * TILE - RADIUS, top = blockIdx.y * TILE - RADIUS;
    for (int y = threadIdx.y; y < TILE + 2 * RADIUS; y += TILE)
        for (int x = threadIdx.x; x < TILE + 2 * RADIUS; x += TILE) {
            int image_x = min(max(left + x, 0), shape.width - 1);
            int image_y = min(max(top + y, 0), shape.height - 1);
            tile[y][x] = image[image_y * shape.width + image_x];
        }
    __syncthreads();
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x >= shape.width || y >= shape.height) return;
    float sum = 0;
    for (int i = 0; i < SIDE; ++i)
        for (int j = 0; j < SIDE; ++j) sum += weights[i * SIDE + j] * tile[threadIdx.y + i][threadIdx.x + j];
    result[y * shape.width + x] = sum * shape.scale;
}

// Every thread reads another element of constant memory.
__global__ void lookup(float *result) { result[threadIdx.x] = weights[(threadIdx.x * 7 + 3) % (SIDE * SIDE)]; }

std::vector<float> reference(const std::vector<float> &image, const std::vector<float> &w, int width, int height,
                             float scale) {
    std::vector<float> result(width * height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            double sum = 0;
            for (int i = 0; i < SIDE; ++i)
                for (int j = 0; j < SIDE; ++j) {
                    int image_x = std::min(std::max(x + j - RADIUS, 0), width - 1);
                    int image_y = std::min(std::max(y + i - RADIUS, 0), height - 1);
                    sum += double(w[i * SIDE + j]) * image[image_y * width + image_x];
                }
            result[y * width + x] = float(sum * scale);
        }
    return result;
}

int main(int argc, char **argv) {
    int width = size_argument(argc, argv, 61), height = width - width / 4;
    Random random(11);
    auto image = random.numbers<float>(width * height, 0, 1);
    auto w = random.numbers<float>(SIDE * SIDE, -1, 1);
    struct {
        int width, height;
        float scale;
    } host_shape = {width, height, 0.25f};
    CUDA(cudaMemcpyToSymbol(weights, w.data(), sizeof(float) * w.size()));
    CUDA(cudaMemcpyToSymbol(shape, &host_shape, sizeof(host_shape)));

    DeviceArray<float> device_image(image), result(width * height);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, TILE);
    convolve<<<grid, block>>>(device_image.get(), result.get());
    CUDA_FINISH();
    // 25 roundings of sums below 25 * 2^-24 each.
    expect_near("first weights", result.to_host(), reference(image, w, width, height, 0.25f), 2e-5);

    // The middle row of weights and the scale change.
    for (int j = 0; j < SIDE; ++j) w[RADIUS * SIDE + j] = j + 1;
    CUDA(cudaMemcpyToSymbol(weights, &w[RADIUS * SIDE], sizeof(float) * SIDE, sizeof(float) * RADIUS * SIDE));
    float scale = 3;
    CUDA(cudaMemcpyToSymbol(shape, &scale, sizeof(float), offsetof(decltype(host_shape), scale)));
    convolve<<<grid, block>>>(device_image.get(), result.get());
    CUDA_FINISH();
    expect_near("second weights", result.to_host(), reference(image, w, width, height, 3), 2e-5);

    DeviceArray<float> looked_up(64);
    lookup<<<1, 64>>>(looked_up.get());
    CUDA_FINISH();
    std::vector<float> expected(64);
    for (int i = 0; i < 64; ++i) expected[i] = w[(i * 7 + 3) % (SIDE * SIDE)];
    expect_equal("lookup", looked_up.to_host(), expected);
    return pass("stencil");
}
