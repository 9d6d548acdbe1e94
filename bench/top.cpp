// One list a row: few values are larger than its smallest one.
#include "bench.h"
#include "sizes.h"

static void top_k(const float *rows, float *values, int *places) {
#pragma omp parallel for
    for (int row = 0; row < TOP_ROWS; ++row) {
        const float *from = rows + row * TOP_LENGTH;
        float *most = values + row * TOP;
        int *at = places + row * TOP;
        std::fill(most, most + TOP, -1.0f);
        for (int i = 0; i < TOP_LENGTH; ++i) {
            if (from[i] <= most[TOP - 1]) continue;
            int k = TOP - 1;
            for (; k > 0 && from[i] > most[k - 1]; --k) {
                most[k] = most[k - 1];
                at[k] = at[k - 1];
            }
            most[k] = from[i];
            at[k] = i;
        }
    }
}

int main() {
    auto rows = random_floats(TOP_ROWS * TOP_LENGTH, 1);
    std::vector<float> values(TOP_ROWS * TOP);
    std::vector<int> places(TOP_ROWS * TOP);
    auto work = [&] { top_k(rows.data(), values.data(), places.data()); };
    measure("top_k", work, [&] { return checksum_of(values); });
}
