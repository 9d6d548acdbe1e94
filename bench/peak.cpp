#include "bench.h"
#include "sizes.h"

template <class T> static void chains(const T *from, T factor, T *to) {
#pragma omp parallel for simd
    for (int i = 0; i < PEAK_THREADS; ++i) {
        T values[PEAK_CHAINS], sum = 0;
        for (int chain = 0; chain < PEAK_CHAINS; ++chain) values[chain] = from[i] + chain;
        for (int step = 0; step < PEAK_STEPS; ++step)
            for (int chain = 0; chain < PEAK_CHAINS; ++chain) values[chain] = values[chain] * factor + T(0.5);
        for (int chain = 0; chain < PEAK_CHAINS; ++chain) sum += values[chain];
        to[i] = sum;
    }
}

int main() {
    auto numbers = random_floats(PEAK_THREADS, 1);
    std::vector<float> sums(PEAK_THREADS);
    std::vector<double> doubles(numbers.begin(), numbers.end()), double_sums(PEAK_THREADS);
    measure("fma_stream", [&] { chains(numbers.data(), 0.999f, sums.data()); }, [&] { return checksum_of(sums); });
    measure("fma_f64", [&] { chains(doubles.data(), 0.999, double_sums.data()); },
            [&] { return checksum_of(double_sums); });
}
