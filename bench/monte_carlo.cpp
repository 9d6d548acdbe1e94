#include "philox.h"

#include "bench.h"
#include "sizes.h"

static unsigned count_inside() {
    unsigned count = 0;
#pragma omp parallel for simd reduction(+ : count)
    for (int path = 0; path < PATHS; ++path)
        for (int step = 0; step < PATH_STEPS; ++step) count += inside(philox(step, path, 17, 42));
    return count;
}

int main() {
    std::vector<unsigned> total(1);
    measure("monte_carlo_philox", [&] { total[0] = count_inside(); }, [&] { return checksum_of(total); });
}
