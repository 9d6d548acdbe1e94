// The naive one a row after the other, the other one in tiles that the cache holds.
#include "bench.h"
#include "sizes.h"

constexpr int N = TRANSPOSE_SIZE, TILE = 16;

static void naive(const float *from, float *to) {
#pragma omp parallel for
    for (int row = 0; row < N; ++row)
#pragma omp simd
        for (int column = 0; column < N; ++column) to[row * N + column] = from[column * N + row];
}

static void tiled(const float *from, float *to) {
#pragma omp parallel for
    for (int row = 0; row < N; row += TILE)
        for (int column = 0; column < N; column += TILE)
            for (int y = 0; y < TILE; ++y)
#pragma omp simd
                for (int x = 0; x < TILE; ++x) to[(row + y) * N + column + x] = from[(column + x) * N + row + y];
}

int main() {
    auto from = random_floats(N * N, 1);
    std::vector<float> to(N * N);
    auto checksum = [&] { return checksum_of(to); };
    measure("transpose_naive", [&] { naive(from.data(), to.data()); }, checksum);
    measure("transpose_shared", [&] { tiled(from.data(), to.data()); }, checksum);
}
