// The same in C++.
#include "bench.h"
#include "sizes.h"

#include <cmath>

constexpr float RATE = 0.02f, VOLATILITY = 0.3f;

static inline float normal(float d) {
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float polynomial =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * d * d) * polynomial;
    return d > 0 ? 1 - tail : tail;
}

static void price(const float *prices, const float *strikes, const float *years, float *calls, float *puts) {
#pragma omp parallel for simd
    for (int i = 0; i < OPTIONS; ++i) {
        float s = 5 + 25 * prices[i], x = 1 + 99 * strikes[i], t = 0.25f + 9.75f * years[i];
        float deviation = VOLATILITY * sqrtf(t);
        float d1 = (logf(s / x) + (RATE + 0.5f * VOLATILITY * VOLATILITY) * t) / deviation, d2 = d1 - deviation;
        float n1 = normal(d1), n2 = normal(d2), discounted = x * expf(-RATE * t);
        calls[i] = s * n1 - discounted * n2;
        puts[i] = discounted * (1 - n2) - s * (1 - n1);
    }
}

int main() {
    auto prices = random_floats(OPTIONS, 1), strikes = random_floats(OPTIONS, 2), years = random_floats(OPTIONS, 3);
    std::vector<float> out(2 * OPTIONS);
    auto work = [&] { price(prices.data(), strikes.data(), years.data(), out.data(), out.data() + OPTIONS); };
    measure(NAME, work, [&] { return checksum_of(out); });
}
