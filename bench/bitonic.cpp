// The same network, a step after the other; std::sort needs fewer comparisons.
#include "bench.h"
#include "sizes.h"

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

int main() {
    auto random = random_integers<unsigned>(BITONIC_COUNT, 4294967295.0, 1), keys = random;
    auto work = [&] {
        keys = random;
        for (int length = 2; length <= BITONIC_COUNT; length *= 2)
            for (int distance = length / 2; distance > 0; distance /= 2) step(keys.data(), distance, length);
    };
    measure("sort_bitonic", work, [&] { return checksum_of(keys); });
}
