// Matrix transposes: naive, through shared tiles with bank conflicts and with padding, in 32x8 and 16x16
// blocks, for elements of 4 and of 1, 2, 8 and 16 bytes.
#include "sample.h"

template <class T> __global__ void naive(const T *from, T *to, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) to[x * height + y] = from[y * width + x];
}

template <class T, int TILE, int ROWS, int PADDING>
__global__ void tiled(const T *from, T *to, int width, int height) {
    __shared__ T tile[TILE][TILE + PADDING];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int row = 0; row < TILE; row += ROWS)
        if (x < width && y + row < height) tile[threadIdx.y + row][threadIdx.x] = from[(y + row) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int row = 0; row < TILE; row += ROWS)
        if (x < height && y + row < width) to[(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];
}

struct Wide {
    uint64_t low, high;
    bool operator!=(const Wide &other) const { return low != other.low || high != other.high; }
};
static_assert(sizeof(Wide) == 16);

template <class T> void check(const char *what, const DeviceArray<T> &to, const std::vector<T> &expected) {
    CUDA_FINISH();
    auto got = to.to_host();
    for (size_t i = 0; i < got.size(); ++i)
        if (got[i] != expected[i]) fail("%s, elements of %zu bytes: first mismatch at [%zu]", what, sizeof(T), i);
}

template <class T> void transpose(int width, int height) {
    Random random(10);
    std::vector<T> host(width * height), expected(width * height);
    for (T &value : host) {
        uint64_t bits[2] = {random.next(), random.next()};
        std::memcpy(&value, bits, sizeof(T));
    }
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) expected[x * height + y] = host[y * width + x];
    DeviceArray<T> from(host), to(host.size());

    auto grid = [&](int tile) { return dim3((width + tile - 1) / tile, (height + tile - 1) / tile); };
    naive<<<grid(16), dim3(16, 16)>>>(from.get(), to.get(), width, height);
    check("naive", to, expected);
    to.fill_bytes(0);
    tiled<T, 32, 8, 0><<<grid(32), dim3(32, 8)>>>(from.get(), to.get(), width, height);
    check("tiled 32x8", to, expected);
    to.fill_bytes(0);
    tiled<T, 32, 8, 1><<<grid(32), dim3(32, 8)>>>(from.get(), to.get(), width, height);
    check("padded 32x8", to, expected);
    to.fill_bytes(0);
    tiled<T, 16, 16, 1><<<grid(16), dim3(16, 16)>>>(from.get(), to.get(), width, height);
    check("padded 16x16", to, expected);
}

int main(int argc, char **argv) {
    int width = size_argument(argc, argv, 75), height = width + 36;
    transpose<uint32_t>(width, height);
    transpose<uint8_t>(width, height);
    transpose<uint16_t>(width, height);
    transpose<uint64_t>(width, height);
    transpose<Wide>(width, height);
    return pass("transpose");
}
