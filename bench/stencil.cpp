// One plain loop for both: the cache is what shared memory is there.
#include "bench.h"
#include "sizes.h"

constexpr int W = PLANE_WIDTH, H = PLANE_HEIGHT, N = SPACE_SIZE;

static void plane(const float *from, float *to) {
#pragma omp parallel for
    for (int y = 1; y < H - 1; ++y)
#pragma omp simd
        for (int i = y * W + 1; i < y * W + W - 1; ++i)
            to[i] = 0.2f * (from[i] + from[i - 1] + from[i + 1] + from[i - W] + from[i + W]);
}

static void space(const float *from, float *to) {
#pragma omp parallel for
    for (int z = 1; z < N - 1; ++z)
        for (int y = 1; y < N - 1; ++y) {
            int row = (z * N + y) * N;
#pragma omp simd
            for (int i = row + 1; i < row + N - 1; ++i)
                to[i] = (from[i] + from[i - 1] + from[i + 1] + from[i - N] + from[i + N] + from[i - N * N] +
                         from[i + N * N]) / 7;
        }
}

int main() {
    auto from = random_floats(W * H, 1), from_space = random_floats(N * N * N, 2);
    std::vector<float> to(W * H), to_space(N * N * N);
    auto work = [&] { plane(from.data(), to.data()); };
    auto checksum = [&] { return checksum_of(to); };
    measure("stencil_2d", work, checksum);
    measure("stencil_2d_shared", work, checksum);

    auto work_in_space = [&] { space(from_space.data(), to_space.data()); };
    auto checksum_of_space = [&] { return checksum_of(to_space); };
    measure("stencil_3d", work_in_space, checksum_of_space);
    measure("stencil_3d_shared", work_in_space, checksum_of_space);
}
