#include "bench.h"
#include "sizes.h"

constexpr int W = CONVOLUTION_WIDTH, H = CONVOLUTION_HEIGHT, R = CONVOLUTION_RADIUS, SIDE = 2 * R + 1;

static void convolve(const float *filter, const float *from, float *to) {
#pragma omp parallel for
    for (int y = 0; y < H; ++y)
#pragma omp simd
        for (int x = 0; x < W; ++x) {
            float sum = 0;
            for (int row = 0; row < SIDE; ++row)
                for (int column = 0; column < SIDE; ++column)
                    sum += filter[row * SIDE + column] * from[(y + row) * (W + 2 * R) + x + column];
            to[y * W + x] = sum;
        }
}

int main() {
    auto filter = random_floats(SIDE * SIDE, 2), from = random_floats((W + 2 * R) * (H + 2 * R), 1);
    std::vector<float> to(W * H);
    auto work = [&] { convolve(filter.data(), from.data(), to.data()); };
    measure("convolution", work, [&] { return checksum_of(to); });
}
