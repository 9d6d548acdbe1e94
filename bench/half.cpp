// bench: flags = -ffast-math
// Without it the C library has no tangents of vectors.
#include "halves.h"

#include "bench.h"
#include "sizes.h"

#include <cmath>

static void gelu(const Half *from, Half *to) {
#pragma omp parallel for
    for (int i = 0; i < HALF_COUNT; i += LANES) {
        float x[LANES];
        to_floats(from + i, x);
#pragma omp simd
        for (int lane = 0; lane < LANES; ++lane) {
            float v = x[lane];
            x[lane] = 0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
        }
        to_halves(x, to + i);
    }
}

// A product of halves is exact in float. The sum is rounded to float before it is rounded to half, which seldom matters.
static void axpy(float a, const Half *from, Half *to) {
#pragma omp parallel for
    for (int i = 0; i < HALF_COUNT; i += LANES) {
        float x[LANES], y[LANES];
        to_floats(from + i, x);
        to_floats(to + i, y);
#pragma omp simd
        for (int lane = 0; lane < LANES; ++lane) y[lane] += a * x[lane];
        to_halves(y, to + i);
    }
}

static std::vector<Half> random_halves(uint32_t seed) {
    std::vector<Half> halves;
    for (float number : random_floats(HALF_COUNT, seed)) halves.push_back(to_half(8 * number - 4));
    return halves;
}

static double checksum(const std::vector<Half> &result) {
    std::vector<float> floats;
    for (Half number : result) floats.push_back(to_float(number));
    return checksum_of(floats);
}

int main() {
    auto x = random_halves(1), y = random_halves(2);
    std::vector<Half> to(HALF_COUNT);
    measure("gelu_half", [&] { gelu(x.data(), to.data()); }, [&] { return checksum(to); });
    float a = to_float(to_half(0.001f));
    measure("axpy_half2", [&] { axpy(a, x.data(), y.data()); }, [&] { return checksum(y); });
}
