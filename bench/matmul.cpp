// The naive product in the loop order that suits a processor's cache and vectors; the tiled one with
// parts of the second factor that stay in the cache, and of the result in registers, which is also what the
// register-tiled one has beside it.
#include "bench.h"
#include "sizes.h"

#include <cstring>

constexpr int N = MATMUL_SIZE;

static void naive(const float *a, const float *b, float *c) {
#pragma omp parallel for
    for (int row = 0; row < N; ++row) {
        float *to = c + row * N;
        std::fill(to, to + N, 0.0f);
        for (int k = 0; k < N; ++k) {
            float factor = a[row * N + k];
            for (int column = 0; column < N; ++column) to[column] += factor * b[k * N + column];
        }
    }
}

// A vector, and what the registers hold of the result.
typedef float Vector __attribute__((vector_size(64)));
constexpr int LANES = 16, ROWS = 8, VECTORS = 2, COLUMNS = VECTORS * LANES, INNER = 256;
static_assert(N % ROWS == 0 && N % COLUMNS == 0 && N % INNER == 0);

static void tiled(const float *a, const float *b, float *c) {
#pragma omp parallel for
    for (int column = 0; column < N; column += COLUMNS)
        for (int start = 0; start < N; start += INNER) {
            Vector part[INNER][VECTORS];
            for (int k = 0; k < INNER; ++k) memcpy(part[k], b + (start + k) * N + column, sizeof part[k]);
            for (int row = 0; row < N; row += ROWS) {
                Vector sums[ROWS][VECTORS] = {};
                for (int k = 0; k < INNER; ++k)
#pragma GCC unroll 8
                    for (int r = 0; r < ROWS; ++r)
#pragma GCC unroll 2
                        for (int i = 0; i < VECTORS; ++i) sums[r][i] += a[(row + r) * N + start + k] * part[k][i];
                for (int r = 0; r < ROWS; ++r) {
                    float *to = c + (row + r) * N + column;
                    for (int i = 0; i < COLUMNS; ++i) {
                        float sum = sums[r][i / LANES][i % LANES];
                        to[i] = start > 0 ? to[i] + sum : sum;
                    }
                }
            }
        }
}

int main() {
    auto a = random_floats(N * N, 1), b = random_floats(N * N, 2);
    std::vector<float> c(N * N);
    auto checksum = [&] { return checksum_of(c); };
    auto work = [&] { tiled(a.data(), b.data(), c.data()); };
    measure("matmul_naive", [&] { naive(a.data(), b.data(), c.data()); }, checksum);
    measure("matmul_tiled", work, checksum);
    measure("matmul_registers", work, checksum);
}
