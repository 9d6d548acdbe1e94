// The same network, a step after the other; std::sort needs fewer comparisons.
#include "bench.h"
#include "sizes.h"

constexpr int LANES = 16;

static void step(unsigned *keys, int distance, int length) {
#pragma omp parallel for
    for (int begin = 0; begin < BITONIC_COUNT; begin += 2 * distance) {
        unsigned *low = keys + begin, *high = low + distance;
        bool ascending = (begin & length) == 0;
#pragma omp simd
        for (int i = 0; i < distance; ++i) {
            unsigned a = low[i], b = high[i], least = std::min(a, b), most = std::max(a, b);
            low[i] = ascending ? least : most;
            high[i] = ascending ? most : least;
        }
    }
}

// The same for keys of the same vector.
template <int distance> static void step_of_vectors(unsigned *keys, int length) {
#pragma omp parallel for
    for (int begin = 0; begin < BITONIC_COUNT; begin += LANES) {
        unsigned mine[LANES], others[LANES];
        std::copy(keys + begin, keys + begin + LANES, mine);
        for (int i = 0; i < LANES; ++i) others[i] = mine[i ^ distance];
#pragma omp simd
        for (int i = 0; i < LANES; ++i) {
            bool ascending = ((begin + i) & length) == 0, low = (i & distance) == 0;
            unsigned least = std::min(mine[i], others[i]), most = std::max(mine[i], others[i]);
            keys[begin + i] = ascending == low ? least : most;
        }
    }
}

int main() {
    auto random = random_integers<unsigned>(BITONIC_COUNT, 4294967295.0, 1), keys = random;
    auto work = [&] {
        keys = random;
        for (int length = 2; length <= BITONIC_COUNT; length *= 2)
            for (int distance = length / 2; distance > 0; distance /= 2) switch (distance) {
                case 1: step_of_vectors<1>(keys.data(), length); break;
                case 2: step_of_vectors<2>(keys.data(), length); break;
                case 4: step_of_vectors<4>(keys.data(), length); break;
                case 8: step_of_vectors<8>(keys.data(), length); break;
                default: step(keys.data(), distance, length);
                }
    };
    measure("sort_bitonic", work, [&] { return checksum_of(keys); });
}
