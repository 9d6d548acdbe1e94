#include "bench.h"
#include "sizes.h"

constexpr int BLOCKS = QUANTISED_COLUMNS / QUANTISED_BLOCK;

static void multiply(const signed char *weights, const float *weight_factors, const signed char *vector,
                     const float *factors, float *out) {
#pragma omp parallel for
    for (int row = 0; row < QUANTISED_ROWS; ++row) {
        // Sums stay apart to the end: additions across a vector take long.
        float sums[QUANTISED_BLOCK] = {}, sum = 0;
        for (int block = 0; block < BLOCKS; ++block) {
            const signed char *a = weights + (row * BLOCKS + block) * QUANTISED_BLOCK;
            const signed char *b = vector + block * QUANTISED_BLOCK;
            float factor = weight_factors[row * BLOCKS + block] * factors[block];
#pragma omp simd
            for (int i = 0; i < QUANTISED_BLOCK; ++i) sums[i] += a[i] * b[i] * factor;
        }
        for (float part : sums) sum += part;
        out[row] = sum;
    }
}

static int byte_of(unsigned word, int byte) { return (signed char)(word >> 8 * byte); }

// No instruction of the processor multiplies signed bytes by signed ones: this is what vectors of ints can do.
static void stream(int *out) {
#pragma omp parallel for simd
    for (int i = 0; i < DP4A_THREADS; ++i) {
        unsigned a = 0x01020304u * (i & 15), b[4] = {0x0103fe05u ^ i, 0x7103ae25u + i, unsigned(i), ~unsigned(i)};
        int sums[4] = {i, i + 1, i + 2, i + 3};
        for (int step = 0; step < DP4A_STEPS; step += 4) {
            for (int chain = 0; chain < 4; ++chain) {
                for (int byte = 0; byte < 4; ++byte) sums[chain] += byte_of(a, byte) * byte_of(b[chain], byte);
                b[chain] += 0x01010101;
            }
        }
        out[i] = sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
    }
}

int main() {
    auto weights = random_integers<unsigned char>(QUANTISED_ROWS * QUANTISED_COLUMNS, 256, 1);
    auto vector = random_integers<unsigned char>(QUANTISED_COLUMNS, 256, 2);
    auto weight_factors = random_floats(QUANTISED_ROWS * BLOCKS, 3), factors = random_floats(BLOCKS, 4);
    std::vector<float> out(QUANTISED_ROWS);
    auto work = [&] {
        multiply((const signed char *)weights.data(), weight_factors.data(), (const signed char *)vector.data(),
                 factors.data(), out.data());
    };
    measure("matvec_dp4a", work, [&] { return checksum_of(out); });
    std::vector<int> sums(DP4A_THREADS);
    measure("dp4a", [&] { stream(sums.data()); }, [&] { return checksum_of(sums); });
}
