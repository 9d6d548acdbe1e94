#include "cuda_bench.h"
#include "sizes.h"

__global__ void mandelbrot(int *counts) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= MANDELBROT_WIDTH || row >= MANDELBROT_HEIGHT) return;
    float real = -2.2f + 3.2f * column / MANDELBROT_WIDTH, imaginary = -1.2f + 2.4f * row / MANDELBROT_HEIGHT;
    float x = 0, y = 0;
    int count = 0;
    while (count < MANDELBROT_LIMIT && x * x + y * y <= 4) {
        float next = x * x - y * y + real;
        y = 2 * x * y + imaginary;
        x = next;
        ++count;
    }
    counts[row * MANDELBROT_WIDTH + column] = count;
}

int main() {
    const int pixels = MANDELBROT_WIDTH * MANDELBROT_HEIGHT;
    int *counts = to_device(std::vector<int>(pixels));
    dim3 block(32, 8), grid((MANDELBROT_WIDTH + 31) / 32, (MANDELBROT_HEIGHT + 7) / 8);
    // A plain sum: the last bit of a coordinate decides some counts.
    auto sum = [&] {
        double sum = 0;
        for (int count : to_host(counts, pixels)) sum += count;
        return sum;
    };
    measure_launch("mandelbrot", [&] { mandelbrot<<<grid, block>>>(counts); }, sum);
}
