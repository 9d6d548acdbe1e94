// A plain loop for both: a tree has no use here.
#include "bench.h"
#include "sizes.h"

static void reduce(const float *values, float *result) {
    float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int i = 0; i < REDUCTION_COUNT; ++i) sum += values[i];
    *result = sum;
}

int main() {
    auto values = random_floats(REDUCTION_COUNT, 1);
    std::vector<float> result(1);
    auto work = [&] { reduce(values.data(), result.data()); };
    auto checksum = [&] { return checksum_of(result); };
    measure("reduction", work, checksum);
    measure("reduction_tree", work, checksum);
}
