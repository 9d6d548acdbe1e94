// Shuffles beside a plain loop; the tree beside the same tree, block by block: as an algorithm for one processor it has no use.
#include "bench.h"
#include "sizes.h"

static void reduce(const float *values, float *result) {
    float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int i = 0; i < REDUCTION_COUNT; ++i) sum += values[i];
    *result = sum;
}

static void reduce_tree(const float *values, int count, float *sums) {
#pragma omp parallel for
    for (int block = 0; block < (count + 255) / 256; ++block) {
        float tree[256];
        for (int i = 0; i < 256; ++i) tree[i] = block * 256 + i < count ? values[block * 256 + i] : 0;
        for (int half = 128; half > 0; half /= 2)
            for (int i = 0; i < half; ++i) tree[i] += tree[i + half];
        sums[block] = tree[0];
    }
}

int main() {
    auto values = random_floats(REDUCTION_COUNT, 1);
    std::vector<float> result(1);
    auto checksum = [&] { return checksum_of(result); };
    measure("reduction", [&] { reduce(values.data(), result.data()); }, checksum);
    const int blocks_1 = (REDUCTION_COUNT + 255) / 256, blocks_2 = (blocks_1 + 255) / 256;
    std::vector<float> sums_1(blocks_1), sums_2(blocks_2);
    auto trees = [&] {
        reduce_tree(values.data(), REDUCTION_COUNT, sums_1.data());
        reduce_tree(sums_1.data(), blocks_1, sums_2.data());
        reduce_tree(sums_2.data(), blocks_2, result.data());
    };
    measure("reduction_tree", trees, checksum);
}
