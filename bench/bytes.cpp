#include "bench.h"
#include "sizes.h"

constexpr int N = LIFE_SIZE;
using Byte = unsigned char;

// All bytes of the pattern at all places: vectors are faster than an early end.
static void match(const Byte *text, const Byte *pattern, Byte *found) {
#pragma omp parallel for simd
    for (int i = 0; i < TEXT_LENGTH; ++i) {
        Byte all = 1;
        for (int k = 0; k < PATTERN_LENGTH; ++k) all &= text[i + k] == pattern[k];
        found[i] = all;
    }
}

static void live(const Byte *from, Byte *to) {
#pragma omp parallel for
    for (int y = 0; y < N; ++y) {
        const Byte *above = from + ((y - 1) & (N - 1)) * N, *row = from + y * N, *below = from + ((y + 1) & (N - 1)) * N;
        auto cell = [=](int left, int x, int right) -> Byte {
            Byte neighbours = above[left] + above[x] + above[right] + row[left] + row[right] + below[left] + below[x] +
                              below[right];
            return (neighbours == 3) | ((neighbours == 2) & row[x]);
        };
        Byte *out = to + y * N;
        out[0] = cell(N - 1, 0, 1);
#pragma omp simd
        for (int x = 1; x < N - 1; ++x) out[x] = cell(x - 1, x, x + 1);
        out[N - 1] = cell(N - 2, N - 1, 0);
    }
}

int main() {
    auto text = random_integers<Byte>(TEXT_LENGTH + PATTERN_LENGTH, 3, 1);
    std::vector<Byte> pattern(text.begin() + TEXT_LENGTH / 2, text.begin() + TEXT_LENGTH / 2 + PATTERN_LENGTH);
    std::vector<Byte> found(TEXT_LENGTH);
    measure("string_match", [&] { match(text.data(), pattern.data(), found.data()); },
            [&] { return checksum_of(found); });

    auto from = random_integers<Byte>(N * N, 2, 2);
    std::vector<Byte> to(N * N);
    measure("game_of_life", [&] { live(from.data(), to.data()); }, [&] { return checksum_of(to); });
}
