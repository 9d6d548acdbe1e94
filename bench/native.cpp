// What kernels.cu computes, in C++ with OpenMP, as one would write it for the processor.
#include "inputs.h"

static void saxpy(int n, float a, const float *x, float *y) {
#pragma omp parallel for simd
    for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

static void matmul_naive(int n, const float *a, const float *b, float *c) {
#pragma omp parallel for
    for (int row = 0; row < n; ++row) {
        std::fill(c + row * n, c + row * n + n, 0.0f);
        for (int k = 0; k < n; ++k) {
            float factor = a[row * n + k];
            for (int column = 0; column < n; ++column) c[row * n + column] += factor * b[k * n + column];
        }
    }
}

static void matmul_tiled(int n, const float *a, const float *b, float *c) {
#pragma omp parallel for collapse(2)
    for (int top = 0; top < n; top += TILE)
        for (int left = 0; left < n; left += TILE) {
            float tile[TILE][TILE] = {};
            for (int k = 0; k < n; ++k)
                for (int y = 0; y < TILE; ++y) {
                    float factor = a[(top + y) * n + k];
                    for (int x = 0; x < TILE; ++x) tile[y][x] += factor * b[k * n + left + x];
                }
            for (int y = 0; y < TILE; ++y) std::copy(tile[y], tile[y] + TILE, c + (top + y) * n + left);
        }
}

static float reduce(int n, const float *values) {
    float total = 0;
#pragma omp parallel for simd reduction(+ : total)
    for (int i = 0; i < n; ++i) total += values[i];
    return total;
}

static void mandelbrot(int size, int limit, int *iterations) {
#pragma omp parallel for schedule(dynamic, 8)
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column) {
            float cx = -2.0f + 3.0f * column / size, cy = -1.5f + 3.0f * row / size;
            float x = 0, y = 0;
            int count = 0;
            while (count < limit && x * x + y * y < 4.0f) {
                float next = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = next;
                ++count;
            }
            iterations[row * size + column] = count;
        }
}

static void histogram(int n, const unsigned char *data, unsigned *bins) {
    std::fill(bins, bins + 256, 0u);
#pragma omp parallel
    {
        unsigned mine[256] = {};
#pragma omp for nowait
        for (int i = 0; i < n; ++i) ++mine[data[i]];
#pragma omp critical
        for (int i = 0; i < 256; ++i) bins[i] += mine[i];
    }
}

static void nbody(int n, const float *x, const float *y, const float *z, const float *mass, float *out) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
        float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
        for (int j = 0; j < n; ++j) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
            float force = mass[j] * inverse * inverse * inverse;
            ax += force * dx;
            ay += force * dy;
            az += force * dz;
        }
        out[3 * i] = ax, out[3 * i + 1] = ay, out[3 * i + 2] = az;
    }
}

int main() {
    {
        auto x = floats(SAXPY_SIZE, 1), y = floats(SAXPY_SIZE, 2);
        double time = best_milliseconds([&] { saxpy(SAXPY_SIZE, 0.0f, x.data(), y.data()); });
        saxpy(SAXPY_SIZE, 2.5f, x.data(), y.data());
        print("saxpy", time, sum(y));
    }
    {
        const int n = MATMUL_SIZE;
        auto a = floats(n * n, 3), b = floats(n * n, 4), c = floats(n * n, 5);
        double time = best_milliseconds([&] { matmul_naive(n, a.data(), b.data(), c.data()); });
        print("matmul_naive", time, sum(c));
        time = best_milliseconds([&] { matmul_tiled(n, a.data(), b.data(), c.data()); });
        print("matmul_tiled", time, sum(c));
    }
    {
        auto values = floats(REDUCE_SIZE, 6);
        volatile float result;
        double time = best_milliseconds([&] { result = reduce(REDUCE_SIZE, values.data()); });
        print("reduce", time, result);
    }
    {
        std::vector<int> iterations(MANDELBROT_SIZE * MANDELBROT_SIZE);
        double time = best_milliseconds([&] { mandelbrot(MANDELBROT_SIZE, MANDELBROT_LIMIT, iterations.data()); });
        print("mandelbrot", time, sum(iterations));
    }
    {
        auto data = bytes(HISTOGRAM_SIZE, 7);
        std::vector<unsigned> bins(256);
        double time = best_milliseconds([&] { histogram(HISTOGRAM_SIZE, data.data(), bins.data()); });
        print("histogram", time, weighted(bins));
    }
    {
        auto numbers = floats(NBODY_SIZE * 4, 8);
        std::vector<float> parts[4], out(3 * NBODY_SIZE);
        for (int i = 0; i < NBODY_SIZE; ++i)
            for (int part = 0; part < 4; ++part) parts[part].push_back(numbers[4 * i + part]);
        double time = best_milliseconds([&] {
            nbody(NBODY_SIZE, parts[0].data(), parts[1].data(), parts[2].data(), parts[3].data(), out.data());
        });
        double total = 0;
        for (float value : out) total += std::fabs(value);
        print("nbody", time, total);
    }
}
