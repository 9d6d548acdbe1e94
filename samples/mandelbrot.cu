// sample: flags = -fmad=false
// Iterations until a point of the plane escapes: every thread leaves its loop at another time.
#include "sample.h"

// Without contraction to fma, IEEE arithmetic leaves one answer, here and on the host.
__host__ __device__ int iterations(float real, float imaginary, int limit) {
    float x = 0, y = 0;
    int count = 0;
    while (count < limit) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4) break;
        y = 2 * x * y + imaginary;
        x = xx - yy + real;
        ++count;
    }
    return count;
}

__global__ void mandelbrot(int *counts, int width, int height, int limit) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height)
        counts[row * width + column] =
            iterations(-2.2f + 3.2f * column / width, -1.2f + 2.4f * row / height, limit);
}

int main(int argc, char **argv) {
    int width = size_argument(argc, argv, 90), height = width * 2 / 3 + 1, limit = 150;
    DeviceArray<int> counts(width * height);
    mandelbrot<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(counts.get(), width, height, limit);
    CUDA_FINISH();

    std::vector<int> expected(width * height);
    for (int row = 0; row < height; ++row)
        for (int column = 0; column < width; ++column)
            expected[row * width + column] =
                iterations(-2.2f + 3.2f * column / width, -1.2f + 2.4f * row / height, limit);
    expect_equal("iterations", counts.to_host(), expected);
    return pass("mandelbrot");
}
