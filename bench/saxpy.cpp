#include "bench.h"
#include "sizes.h"

static void saxpy(int count, float a, const float *x, float *y) {
#pragma omp parallel for simd
    for (int i = 0; i < count; ++i) y[i] = a * x[i] + y[i];
}

int main() {
    auto x = random_floats(SAXPY_COUNT, 1), y = random_floats(SAXPY_COUNT, 2);
    auto work = [&] { saxpy(SAXPY_COUNT, 0.5f, x.data(), y.data()); };
    measure("saxpy", work, [&] { return checksum_of(y); });
}
