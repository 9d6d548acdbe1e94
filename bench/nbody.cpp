// Bodies as separate arrays, as vectors want them; IEEE square root and division, as in the CUDA program.
#include "bench.h"
#include "sizes.h"

#include <cmath>

static void accelerate(const float *x, const float *y, const float *z, const float *mass, float *accelerations) {
#pragma omp parallel for
    for (int i = 0; i < NBODY_COUNT; ++i) {
        float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
        for (int k = 0; k < NBODY_COUNT; ++k) {
            float dx = x[k] - x[i], dy = y[k] - y[i], dz = z[k] - z[i];
            float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + NBODY_SOFTENING);
            float force = mass[k] * inverse * inverse * inverse;
            ax += dx * force;
            ay += dy * force;
            az += dz * force;
        }
        accelerations[4 * i] = ax;
        accelerations[4 * i + 1] = ay;
        accelerations[4 * i + 2] = az;
    }
}

int main() {
    auto numbers = random_floats(NBODY_COUNT * 4, 1);
    std::vector<float> parts[4], accelerations(4 * NBODY_COUNT);
    for (int c = 0; c < 4; ++c)
        for (int i = 0; i < NBODY_COUNT; ++i) parts[c].push_back(numbers[i * 4 + c]);
    auto work = [&] {
        accelerate(parts[0].data(), parts[1].data(), parts[2].data(), parts[3].data(), accelerations.data());
    };
    measure("nbody", work, [&] { return checksum_of(accelerations); });
}
