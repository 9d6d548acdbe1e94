#include "cuda_bench.h"
#include "sizes.h"

constexpr int W = CONVOLUTION_WIDTH, H = CONVOLUTION_HEIGHT, R = CONVOLUTION_RADIUS, SIDE = 2 * R + 1, X = 32, Y = 8;

__constant__ float filter[SIDE * SIDE];

// The input has a border as wide as the filter's radius.
__global__ void convolve(const float *from, float *to) {
    int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y;
    float sum = 0;
    for (int row = 0; row < SIDE; ++row)
        for (int column = 0; column < SIDE; ++column)
            sum += filter[row * SIDE + column] * from[(y + row) * (W + 2 * R) + x + column];
    to[y * W + x] = sum;
}

int main() {
    auto weights = random_floats(SIDE * SIDE, 2);
    CUDA(cudaMemcpyToSymbol(filter, weights.data(), sizeof(filter)));
    float *from = to_device(random_floats((W + 2 * R) * (H + 2 * R), 1)), *to = on_device<float>(W * H);
    dim3 grid(W / X, H / Y), block(X, Y);
    measure_kernel("convolution", to, W * H, [&] { convolve<<<grid, block>>>(from, to); });
}
