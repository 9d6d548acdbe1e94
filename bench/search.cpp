// Without branches, so that the searches of neighbours are vectors; std::lower_bound takes longer.
#include "bench.h"
#include "sizes.h"

// More than a vector, because the processor can wait for several at once.
constexpr int TOGETHER = 64;
static_assert((SORTED_COUNT & (SORTED_COUNT - 1)) == 0);

static void search(const float *sorted, const float *wanted, int *places) {
#pragma omp parallel for
    for (int i = 0; i < QUERIES; i += TOGETHER) {
        int low[TOGETHER] = {};
        for (int half = SORTED_COUNT / 2; half > 0; half /= 2)
#pragma omp simd
            for (int k = 0; k < TOGETHER; ++k) low[k] += half & -int(sorted[low[k] + half - 1] < wanted[i + k]);
#pragma omp simd
        for (int k = 0; k < TOGETHER; ++k) places[i + k] = low[k] + (sorted[low[k]] < wanted[i + k]);
    }
}

int main() {
    auto sorted = random_floats(SORTED_COUNT, 1), wanted = random_floats(QUERIES, 2);
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> places(QUERIES);
    auto work = [&] { search(sorted.data(), wanted.data(), places.data()); };
    measure("binary_search", work, [&] { return checksum_of(places); });
}
