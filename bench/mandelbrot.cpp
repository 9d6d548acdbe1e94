// Two vectors of neighbours at a time until the last one ends: as scalars they take twenty times as long.
#include "bench.h"
#include "sizes.h"

constexpr int LANES = 32;
static_assert(MANDELBROT_WIDTH % LANES == 0);

static void mandelbrot(int *counts) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int row = 0; row < MANDELBROT_HEIGHT; ++row)
        for (int column = 0; column < MANDELBROT_WIDTH; column += LANES) {
            float real[LANES], x[LANES] = {}, y[LANES] = {};
            int count[LANES] = {};
            for (int lane = 0; lane < LANES; ++lane) real[lane] = -2.2f + 3.2f * (column + lane) / MANDELBROT_WIDTH;
            float imaginary = -1.2f + 2.4f * row / MANDELBROT_HEIGHT;
            for (int i = 0, alive = 1; i < MANDELBROT_LIMIT && alive; ++i) {
                alive = 0;
#pragma omp simd reduction(+ : alive)
                for (int lane = 0; lane < LANES; ++lane) {
                    int inside = x[lane] * x[lane] + y[lane] * y[lane] <= 4;
                    // What is outside stays there.
                    float next = x[lane] * x[lane] - y[lane] * y[lane] + real[lane];
                    y[lane] = 2 * x[lane] * y[lane] + imaginary;
                    x[lane] = next;
                    count[lane] += inside;
                    alive += inside;
                }
            }
            std::copy(count, count + LANES, counts + row * MANDELBROT_WIDTH + column);
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
