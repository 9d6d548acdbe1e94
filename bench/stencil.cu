// The mean of the neighbours and of the point itself, where there are all neighbours; with values from global memory,
// and from a tile in shared memory.
#include "cuda_bench.h"
#include "sizes.h"

constexpr int W = PLANE_WIDTH, H = PLANE_HEIGHT, N = SPACE_SIZE, X = 32, Y = 8;
static_assert(W % X == 0 && H % Y == 0 && N % X == 0 && N % Y == 0);

__global__ void plane(const float *from, float *to) {
    int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y, i = y * W + x;
    if (x < 1 || x >= W - 1 || y < 1 || y >= H - 1) return;
    to[i] = 0.2f * (from[i] + from[i - 1] + from[i + 1] + from[i - W] + from[i + W]);
}

__global__ void plane_shared(const float *from, float *to) {
    __shared__ float tile[Y + 2][X + 2];
    int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y, i = y * W + x;
    int column = threadIdx.x + 1, row = threadIdx.y + 1;
    tile[row][column] = from[i];
    if (threadIdx.x == 0) tile[row][0] = from[y * W + max(x - 1, 0)];
    if (threadIdx.x == X - 1) tile[row][X + 1] = from[y * W + min(x + 1, W - 1)];
    if (threadIdx.y == 0) tile[0][column] = from[max(y - 1, 0) * W + x];
    if (threadIdx.y == Y - 1) tile[Y + 1][column] = from[min(y + 1, H - 1) * W + x];
    __syncthreads();
    if (x < 1 || x >= W - 1 || y < 1 || y >= H - 1) return;
    to[i] = 0.2f * (tile[row][column] + tile[row][column - 1] + tile[row][column + 1] + tile[row - 1][column] +
                    tile[row + 1][column]);
}

__global__ void space(const float *from, float *to) {
    int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y, z = blockIdx.z;
    int i = (z * N + y) * N + x;
    if (x < 1 || x >= N - 1 || y < 1 || y >= N - 1 || z < 1 || z >= N - 1) return;
    to[i] = (from[i] + from[i - 1] + from[i + 1] + from[i - N] + from[i + N] + from[i - N * N] + from[i + N * N]) / 7;
}

// A block goes through all planes; each thread keeps what is above and below in registers.
__global__ void space_shared(const float *from, float *to) {
    __shared__ float tile[Y + 2][X + 2];
    int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y, i = y * N + x;
    int column = threadIdx.x + 1, row = threadIdx.y + 1;
    bool inside = x >= 1 && x < N - 1 && y >= 1 && y < N - 1;
    float below = from[i], here = from[i + N * N];
    for (int z = 1; z < N - 1; ++z) {
        i += N * N;
        float above = from[i + N * N];
        tile[row][column] = here;
        if (threadIdx.x == 0 && x > 0) tile[row][0] = from[i - 1];
        if (threadIdx.x == X - 1 && x < N - 1) tile[row][X + 1] = from[i + 1];
        if (threadIdx.y == 0 && y > 0) tile[0][column] = from[i - N];
        if (threadIdx.y == Y - 1 && y < N - 1) tile[Y + 1][column] = from[i + N];
        __syncthreads();
        if (inside)
            to[i] = (here + tile[row][column - 1] + tile[row][column + 1] + tile[row - 1][column] +
                     tile[row + 1][column] + below + above) / 7;
        __syncthreads();
        below = here;
        here = above;
    }
}

int main() {
    float *from = to_device(random_floats(W * H, 1)), *to = on_device<float>(W * H);
    dim3 block(X, Y), grid(W / X, H / Y);
    measure_kernel("stencil_2d", to, W * H, [&] { plane<<<grid, block>>>(from, to); });
    measure_kernel("stencil_2d_shared", to, W * H, [&] { plane_shared<<<grid, block>>>(from, to); });

    const int points = N * N * N;
    float *from_space = to_device(random_floats(points, 2)), *to_space = on_device<float>(points);
    dim3 blocks(N / X, N / Y, N), columns(N / X, N / Y);
    measure_kernel("stencil_3d", to_space, points, [&] { space<<<blocks, block>>>(from_space, to_space); });
    measure_kernel("stencil_3d_shared", to_space, points,
                   [&] { space_shared<<<columns, block>>>(from_space, to_space); });
}
