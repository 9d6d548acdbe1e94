#include "philox.h"

#include "bench.h"
#include "sizes.h"

static unsigned count_inside() {
    unsigned count = 0;
#pragma omp parallel for reduction(+ : count)
    for (int step = 0; step < PATH_STEPS; ++step)
#pragma omp simd reduction(+ : count)
        for (int path = 0; path < PATHS; ++path) count += inside(step, path);
    return count;
}

int main() {
    std::vector<unsigned> total(1);
    measure("monte_carlo_philox", [&] { total[0] = count_inside(); }, [&] { return checksum_of(total); });
}
