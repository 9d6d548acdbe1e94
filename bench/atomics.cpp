// An atomic addition for each thread of the CUDA program to one place of many; what goes to a single place is summed
// first.
#include "bench.h"
#include "sizes.h"

static void add_to_one(const unsigned *values, unsigned *result) {
    unsigned sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int i = 0; i < ATOMICS; ++i) sum += values[i];
    *result = sum;
}

static void add_to_many(const unsigned *values, unsigned *sums) {
    std::fill(sums, sums + ATOMIC_PLACES, 0u);
#pragma omp parallel for
    for (int i = 0; i < ATOMICS; ++i) {
        unsigned &sum = sums[values[i] % ATOMIC_PLACES];
#pragma omp atomic
        sum += values[i] / ATOMIC_PLACES;
    }
}

int main() {
    auto values = random_integers<unsigned>(ATOMICS, 1 << 24, 1);
    std::vector<unsigned> one(1), sums(ATOMIC_PLACES);
    measure("one_atomic", [&] { add_to_one(values.data(), one.data()); }, [&] { return checksum_of(one); });
    measure("many_atomics", [&] { add_to_many(values.data(), sums.data()); }, [&] { return checksum_of(sums); });
}
