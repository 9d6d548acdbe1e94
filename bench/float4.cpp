#include "bench.h"
#include "sizes.h"

static void move_vectors(int count, const float by[4], const float *x, float *y) {
#pragma omp parallel for simd
    for (int i = 0; i < count; ++i) {
        const float *v = x + 4 * i;
        float *moved = y + 4 * i;
        moved[0] = v[1] + by[0];
        moved[1] = by[1] - v[0];
        moved[2] = v[3] + by[2];
        moved[3] = by[3] - v[2];
    }
}

int main() {
    auto x = random_floats(4 * FLOAT4_COUNT, 1), y = random_floats(4 * FLOAT4_COUNT, 2);
    const float by[4] = {0.5f, 0.25f, -1.0f, 2.0f};
    auto work = [&] { move_vectors(FLOAT4_COUNT, by, x.data(), y.data()); };
    measure("float4", work, [&] { return checksum_of(y); });
}
