// Without branches, so that the searches of neighbours are vectors; std::lower_bound takes longer.
#include "bench.h"
#include "sizes.h"

static_assert((SORTED_COUNT & (SORTED_COUNT - 1)) == 0);

static void search(const float *sorted, const float *wanted, int *places) {
#pragma omp parallel for simd
    for (int i = 0; i < QUERIES; ++i) {
        int low = 0;
        for (int half = SORTED_COUNT / 2; half > 0; half /= 2) low += sorted[low + half - 1] < wanted[i] ? half : 0;
        places[i] = low + (sorted[low] < wanted[i]);
    }
}

int main() {
    auto sorted = random_floats(SORTED_COUNT, 1), wanted = random_floats(QUERIES, 2);
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> places(QUERIES);
    auto work = [&] { search(sorted.data(), wanted.data(), places.data()); };
    measure("binary_search", work, [&] { return checksum_of(places); });
}
