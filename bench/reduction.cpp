#include "bench.h"
#include "sizes.h"

int main() {
    auto values = random_floats(REDUCTION_COUNT, 1);
    // Written from outside, so that the compiler cannot do the sum once.
    volatile float result = 0;
    auto times = times_of([&] {
        const float *data = values.data();
        float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
        for (int i = 0; i < REDUCTION_COUNT; ++i) sum += data[i];
        result = sum;
    });
    print_times("reduction", times, result);
}
