// bench: flags = -ffast-math
// Without it the C library has no exponentials of vectors. What has halves in the CUDA program has floats here, which are
// rounded where those are.
#include "halves.h"

#include "bench.h"
#include "sizes.h"

#include <cmath>

constexpr int D = HEAD_SIZE, STEP = KEYS_A_STEP;
constexpr float SCALE = 0.125f;

static void rounded_to_half(float *numbers) {
    Half halves[LANES];
    to_halves(numbers, halves);
    to_floats(halves, numbers);
}

// Four queries at a time, so that a key that was read is of use to more than one.
constexpr int TOGETHER = 4;

template <bool halves> static void attend(const float *queries, const float *keys, const float *values, float *out) {
#pragma omp parallel for
    for (int query = 0; query < HEADS * SEQUENCE; query += TOGETHER) {
        const float *k = keys + query / SEQUENCE * SEQUENCE * D, *v = values + query / SEQUENCE * SEQUENCE * D;
        float sums[TOGETHER][D] = {}, most[TOGETHER], total[TOGETHER] = {}, weights[TOGETHER][STEP];
        std::fill(most, most + TOGETHER, -1e30f);
        for (int start = 0; start < SEQUENCE; start += STEP) {
            for (int j = 0; j < STEP; ++j)
                for (int i = 0; i < TOGETHER; ++i) {
                    const float *q = queries + (query + i) * D, *key = k + (start + j) * D;
                    float score = 0;
#pragma omp simd reduction(+ : score)
                    for (int d = 0; d < D; ++d) score += q[d] * key[d];
                    weights[i][j] = score * SCALE;
                }
            for (int i = 0; i < TOGETHER; ++i) {
                float before = most[i], now = before, sum = 0;
#pragma omp simd reduction(max : now)
                for (int j = 0; j < STEP; ++j) now = std::max(now, weights[i][j]);
                most[i] = now;
#pragma omp simd reduction(+ : sum)
                for (int j = 0; j < STEP; ++j) sum += weights[i][j] = expf(weights[i][j] - now);
                float factor = expf(before - now);
                total[i] = total[i] * factor + sum;
                for (int j = 0; halves && j < STEP; j += LANES) rounded_to_half(weights[i] + j);
#pragma omp simd
                for (int d = 0; d < D; ++d) sums[i][d] *= factor;
                for (int j = 0; j < STEP; ++j)
#pragma omp simd
                    for (int d = 0; d < D; ++d) sums[i][d] += weights[i][j] * v[(start + j) * D + d];
            }
        }
        for (int i = 0; i < TOGETHER; ++i)
#pragma omp simd
            for (int d = 0; d < D; ++d) out[(query + i) * D + d] = sums[i][d] / total[i];
    }
}

int main() {
    const int count = HEADS * SEQUENCE * D;
    std::vector<float> floats[3], halves[3], out(count);
    for (int i = 0; i < 3; ++i) {
        floats[i] = random_floats(count, i + 1);
        for (float &number : floats[i]) number = 4 * number - 2;
        halves[i] = floats[i];
        for (int start = 0; start < count; start += LANES) rounded_to_half(&halves[i][start]);
    }
    auto checksum = [&] { return checksum_of(out); };
    measure("attention_f32", [&] { attend<false>(floats[0].data(), floats[1].data(), floats[2].data(), out.data()); },
            checksum);
    measure("attention_mma", [&] { attend<true>(halves[0].data(), halves[1].data(), halves[2].data(), out.data()); },
            checksum);
}
