// The sort is by digits of eight bits from the last one on, as CUB's.
#include "scan.h"
#include "sizes.h"

constexpr int DIGITS = 256;

// Moves keys to the order of one digit. Each thread has places of its own for each digit.
static void sort_by_digit(const unsigned *keys, unsigned *sorted, int shift) {
    std::vector<int> places(DIGITS * omp_get_max_threads());
#pragma omp parallel
    {
        int threads = omp_get_num_threads(), me = omp_get_thread_num();
        int *mine = &places[DIGITS * me];
        int begin = int64_t(SORT_COUNT) * me / threads, end = int64_t(SORT_COUNT) * (me + 1) / threads;
        for (int i = begin; i < end; ++i) ++mine[keys[i] >> shift & (DIGITS - 1)];
#pragma omp barrier
#pragma omp single
        for (int digit = 0, place = 0; digit < DIGITS; ++digit)
            for (int thread = 0; thread < threads; ++thread) {
                int count = places[DIGITS * thread + digit];
                places[DIGITS * thread + digit] = place;
                place += count;
            }
        for (int i = begin; i < end; ++i) sorted[mine[keys[i] >> shift & (DIGITS - 1)]++] = keys[i];
    }
}

int main() {
    auto values = random_integers<int>(SCAN_COUNT, 1000, 1);
    std::vector<int> sums(SCAN_COUNT);
    auto work = [&] { scan(values.data(), sums.data(), SCAN_COUNT); };
    measure("scan_cub", work, [&] { return checksum_of(sums); });

    auto keys = random_integers<unsigned>(SORT_COUNT, 4294967295.0, 2);
    std::vector<unsigned> half(SORT_COUNT), sorted(SORT_COUNT);
    auto sort = [&] {
        sort_by_digit(keys.data(), half.data(), 0);
        sort_by_digit(half.data(), sorted.data(), 8);
        sort_by_digit(sorted.data(), half.data(), 16);
        sort_by_digit(half.data(), sorted.data(), 24);
    };
    measure("sort_radix_cub", sort, [&] { return checksum_of(sorted); });
}
