// The arrays of sixteen neighbours at a time: their values lie side by side.
#include "bench.h"
#include "sizes.h"

constexpr int LANES = 16;

static void count(const unsigned *values, unsigned *out) {
#pragma omp parallel for
    for (int i = 0; i < LOCAL_THREADS; i += LANES) {
        unsigned bins[LANES][LOCAL_BINS] = {};
        for (int k = 0; k < LOCAL_VALUES; ++k)
            for (int lane = 0; lane < LANES; ++lane) ++bins[lane][values[k * LOCAL_THREADS + i + lane] % LOCAL_BINS];
        for (int lane = 0; lane < LANES; ++lane) {
            unsigned sum = 0;
            for (int bin = 0; bin < LOCAL_BINS; ++bin) sum = 31 * sum + bins[lane][bin];
            out[i + lane] = sum;
        }
    }
}

int main() {
    auto values = random_integers<unsigned>(LOCAL_THREADS * LOCAL_VALUES, 1 << 24, 1);
    std::vector<unsigned> out(LOCAL_THREADS);
    measure("local_array", [&] { count(values.data(), out.data()); }, [&] { return checksum_of(out); });
}
