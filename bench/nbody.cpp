// Bodies as separate arrays, as vectors want them; IEEE square root and division, as in the CUDA program.
#include "bench.h"
#include "sizes.h"

#include <cmath>

int main() {
    auto numbers = random_floats(NBODY_COUNT * 4, 1);
    std::vector<float> parts[4], acceleration[3];
    for (int c = 0; c < 4; ++c)
        for (int i = 0; i < NBODY_COUNT; ++i) parts[c].push_back(numbers[i * 4 + c]);
    for (auto &a : acceleration) a.resize(NBODY_COUNT);
    const float *x = parts[0].data(), *y = parts[1].data(), *z = parts[2].data(), *mass = parts[3].data();
    auto work = [&] {
#pragma omp parallel for
        for (int i = 0; i < NBODY_COUNT; ++i) {
            float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
            for (int k = 0; k < NBODY_COUNT; ++k) {
                float dx = x[k] - x[i], dy = y[k] - y[i], dz = z[k] - z[i];
                float inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + NBODY_SOFTENING);
                float force = mass[k] * inverse * inverse * inverse;
                ax += dx * force;
                ay += dy * force;
                az += dz * force;
            }
            acceleration[0][i] = ax;
            acceleration[1][i] = ay;
            acceleration[2][i] = az;
        }
    };
    measure("nbody", work, [&] {
        std::vector<float> as_vectors;
        for (int i = 0; i < NBODY_COUNT; ++i)
            as_vectors.insert(as_vectors.end(), {acceleration[0][i], acceleration[1][i], acceleration[2][i], 0});
        return checksum_of(as_vectors);
    });
}
