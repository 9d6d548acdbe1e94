// The naive product in the loop order that suits a processor's cache and vectors; the tiled one in blocks that
// stay in the caches, with rows of the result held in registers, which is also what the register-tiled one has beside it.
#include "bench.h"
#include "sizes.h"

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

constexpr int ROWS = 4, COLUMNS = 16, INNER = 256;
static_assert(N % ROWS == 0 && N % COLUMNS == 0 && N % INNER == 0);

static void tiled(const float *a, const float *b, float *c) {
#pragma omp parallel for
    for (int row = 0; row < N; row += ROWS) {
        std::fill(c + row * N, c + (row + ROWS) * N, 0.0f);
        for (int start = 0; start < N; start += INNER)
            for (int column = 0; column < N; column += COLUMNS) {
                float sums[ROWS][COLUMNS] = {};
                for (int k = start; k < start + INNER; ++k)
                    for (int r = 0; r < ROWS; ++r)
#pragma omp simd
                        for (int i = 0; i < COLUMNS; ++i)
                            sums[r][i] += a[(row + r) * N + k] * b[k * N + column + i];
                for (int r = 0; r < ROWS; ++r)
                    for (int i = 0; i < COLUMNS; ++i) c[(row + r) * N + column + i] += sums[r][i];
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
