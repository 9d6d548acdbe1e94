// Each thread has its own bins.
#include "bench.h"
#include "sizes.h"

static void histogram(const unsigned char *bytes, unsigned *bins) {
    std::fill(bins, bins + HISTOGRAM_BINS, 0u);
#pragma omp parallel
    {
        unsigned mine[HISTOGRAM_BINS] = {};
#pragma omp for nowait
        for (int i = 0; i < HISTOGRAM_COUNT; ++i) ++mine[bytes[i]];
#pragma omp critical
        for (int bin = 0; bin < HISTOGRAM_BINS; ++bin) bins[bin] += mine[bin];
    }
}

int main() {
    auto numbers = random_floats(HISTOGRAM_COUNT, 1);
    std::vector<unsigned char> bytes(numbers.size());
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = (unsigned char)(numbers[i] * numbers[i] * 256);
    std::vector<unsigned> bins(HISTOGRAM_BINS);
    auto work = [&] { histogram(bytes.data(), bins.data()); };
    measure("histogram", work, [&] { return checksum_of(bins); });
}
