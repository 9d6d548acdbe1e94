// Scalar: the loops end at another count for every pixel.
#include "bench.h"
#include "sizes.h"

static void mandelbrot(int *counts) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int row = 0; row < MANDELBROT_HEIGHT; ++row)
        for (int column = 0; column < MANDELBROT_WIDTH; ++column) {
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
}

int main() {
    std::vector<int> counts(MANDELBROT_WIDTH * MANDELBROT_HEIGHT);
    auto sum = [&] {
        double sum = 0;
        for (int count : counts) sum += count;
        return sum;
    };
    measure("mandelbrot", [&] { mandelbrot(counts.data()); }, sum);
}
