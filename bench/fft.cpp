// The same passes, with real and imaginary parts apart between them, as vectors want them.
#include "fft.h"

constexpr int N = FFT_SIZE, QUARTER = N / 4;

struct Numbers {
    float real[N], imaginary[N];
};

// The four numbers of which `thread` is the first, from `from` to `to`; those before have made runs of `done`.
static inline void butterfly(const Numbers &from, Numbers &to, const float *roots, int thread, int step, int done) {
    float real[4], imaginary[4];
    for (int k = 0; k < 4; ++k) {
        const float *root = roots + 2 * (k * step * (QUARTER / done));
        float x = from.real[thread + k * QUARTER], y = from.imaginary[thread + k * QUARTER];
        real[k] = x * root[0] - y * root[1];
        imaginary[k] = x * root[1] + y * root[0];
    }
    float ar = real[0] + real[2], br = real[0] - real[2], cr = real[1] + real[3], dr = real[1] - real[3];
    float ai = imaginary[0] + imaginary[2], bi = imaginary[0] - imaginary[2];
    float ci = imaginary[1] + imaginary[3], di = imaginary[1] - imaginary[3];
    int place = (thread - step) * 4 + step;
    to.real[place] = ar + cr;
    to.real[place + done] = br + di;
    to.real[place + 2 * done] = ar - cr;
    to.real[place + 3 * done] = br - di;
    to.imaginary[place] = ai + ci;
    to.imaginary[place + done] = bi - dr;
    to.imaginary[place + 2 * done] = ai - ci;
    to.imaginary[place + 3 * done] = bi + dr;
}

template <int done> static void pass(const Numbers &from, Numbers &to, const float *roots) {
    for (int first = 0; first < QUARTER; first += done < 16 ? 16 : done)
#pragma omp simd
        for (int i = 0; i < (done < 16 ? 16 : done); ++i)
            butterfly(from, to, roots, first + i, (first + i) & (done - 1), done);
}

static void transform(const float *from, const float *roots, float *to) {
    Numbers a, b;
#pragma omp simd
    for (int i = 0; i < N; ++i) {
        a.real[i] = from[2 * i];
        a.imaginary[i] = from[2 * i + 1];
    }
    pass<1>(a, b, roots);
    pass<4>(b, a, roots);
    pass<16>(a, b, roots);
    pass<64>(b, a, roots);
    pass<256>(a, b, roots);
#pragma omp simd
    for (int i = 0; i < N; ++i) {
        to[2 * i] = b.real[i];
        to[2 * i + 1] = b.imaginary[i];
    }
}

int main() {
    const int count = 2 * FFT_COUNT * N;
    auto from = random_floats(count, 1), table = roots();
    std::vector<float> to(count);
    auto work = [&] {
#pragma omp parallel for
        for (int i = 0; i < FFT_COUNT; ++i) transform(&from[2 * N * i], table.data(), &to[2 * N * i]);
    };
    measure("fft_1024", work, [&] { return checksum_of(to); });
}
