#include "bench.h"
#include "sizes.h"

static void gather(const float *table, const int *tokens, float *out) {
#pragma omp parallel for
    for (int token = 0; token < TOKENS; ++token)
        std::copy_n(table + tokens[token] * TABLE_WIDTH, TABLE_WIDTH, out + token * TABLE_WIDTH);
}

int main() {
    auto table = random_floats(TABLE_ROWS * TABLE_WIDTH, 1);
    auto tokens = random_integers<int>(TOKENS, TABLE_ROWS, 2);
    std::vector<float> out(TOKENS * TABLE_WIDTH);
    auto work = [&] { gather(table.data(), tokens.data(), out.data()); };
    measure("embedding_gather", work, [&] { return checksum_of(out); });
}
