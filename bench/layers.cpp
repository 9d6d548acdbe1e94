// bench: flags = -ffast-math
// Without it the C library has no exponentials of vectors.
#include "bench.h"
#include "sizes.h"

#include <cmath>

constexpr int N = LAYER_LENGTH;

// Keeps the exponentials, which the CUDA program computes twice because it has no place for them.
static void softmax(const float *from, float *to) {
#pragma omp parallel for
    for (int row = 0; row < LAYER_ROWS; ++row) {
        const float *x = from + row * N;
        float *y = to + row * N, most = x[0], sum = 0;
#pragma omp simd reduction(max : most)
        for (int i = 0; i < N; ++i) most = std::max(most, x[i]);
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < N; ++i) sum += y[i] = expf(x[i] - most);
#pragma omp simd
        for (int i = 0; i < N; ++i) y[i] /= sum;
    }
}

static void layer_norm(const float *from, const float *scale, const float *shift, float *to) {
#pragma omp parallel for
    for (int row = 0; row < LAYER_ROWS; ++row) {
        const float *x = from + row * N;
        float *y = to + row * N, sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < N; ++i) sum += x[i];
        float mean = sum / N;
#pragma omp simd reduction(+ : squares)
        for (int i = 0; i < N; ++i) squares += (x[i] - mean) * (x[i] - mean);
        float factor = 1 / sqrtf(squares / N + 1e-5f);
#pragma omp simd
        for (int i = 0; i < N; ++i) y[i] = (x[i] - mean) * factor * scale[i] + shift[i];
    }
}

int main() {
    const int count = LAYER_ROWS * N;
    auto from = random_floats(count, 1), scale = random_floats(N, 2), shift = random_floats(N, 3);
    for (float &number : from) number *= 8;
    std::vector<float> to(count);
    auto checksum = [&] { return checksum_of(to); };
    measure("softmax", [&] { softmax(from.data(), to.data()); }, checksum);
    measure("layer_norm", [&] { layer_norm(from.data(), scale.data(), shift.data(), to.data()); }, checksum);
}
