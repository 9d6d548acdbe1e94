// The kernels that `./x bench` measures. Prints `<name> <milliseconds> <checksum>` a line; native.cpp does
// the same things and prints the same lines. The times are the best of several launches, each waited for, since other programs disturb the rest.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#include "inputs.h"

#define CUDA(call)                                                                                           \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != cudaSuccess) {                                                                         \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));                             \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

template <class T> T *upload(const std::vector<T> &host) {
    T *device;
    CUDA(cudaMalloc(&device, host.size() * sizeof(T)));
    CUDA(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <class T> std::vector<T> download(const T *device, size_t count) {
    std::vector<T> host(count);
    CUDA(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

template <class F> double measure(F launch) {
    return best_milliseconds([&] {
        launch();
        CUDA(cudaGetLastError());
        CUDA(cudaDeviceSynchronize());
    });
}

__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void matmul_naive(int n, const float *a, const float *b, float *c) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__global__ void matmul_tiled(int n, const float *a, const float *b, float *c) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int tile = 0; tile < n; tile += TILE) {
        tile_a[y][x] = a[row * n + tile + x];
        tile_b[y][x] = b[(tile + y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void reduce(int n, const float *values, float *sum) {
    __shared__ float partial[8];
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += values[i];
    for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(0xffffffff, mine, offset);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; ++warp) mine += partial[warp];
        atomicAdd(sum, mine);
    }
}

__global__ void mandelbrot(int size, int limit, int *iterations) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = -2.0f + 3.0f * column / size, cy = -1.5f + 3.0f * row / size;
    float x = 0, y = 0;
    int count = 0;
    while (count < limit && x * x + y * y < 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++count;
    }
    iterations[row * size + column] = count;
}

__global__ void histogram(int n, const unsigned char *bytes, unsigned *bins) {
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[bytes[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void nbody(int n, const float4 *bodies, float4 *accelerations) {
    __shared__ float4 tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += 256) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; ++j) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float square = dx * dx + dy * dy + dz * dz + SOFTENING;
            float inverse = 1.0f / sqrtf(square);
            float force = tile[j].w * inverse * inverse * inverse;
            ax += force * dx;
            ay += force * dy;
            az += force * dz;
        }
        __syncthreads();
    }
    accelerations[i] = make_float4(ax, ay, az, 0);
}

__global__ void empty() {}

int main() {
    {
        float *x = upload(floats(SAXPY_SIZE, 1)), *y = upload(floats(SAXPY_SIZE, 2));
        double time = measure([&] { saxpy<<<SAXPY_SIZE / 256, 256>>>(SAXPY_SIZE, 0.0f, x, y); });
        saxpy<<<SAXPY_SIZE / 256, 256>>>(SAXPY_SIZE, 2.5f, x, y);
        print("saxpy", time, sum(download(y, SAXPY_SIZE)));
    }
    {
        const int n = MATMUL_SIZE;
        float *a = upload(floats(n * n, 3)), *b = upload(floats(n * n, 4)), *c = upload(floats(n * n, 5));
        double time = measure([&] { matmul_naive<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, a, b, c); });
        print("matmul_naive", time, sum(download(c, n * n)));
        time = measure([&] { matmul_tiled<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(n, a, b, c); });
        print("matmul_tiled", time, sum(download(c, n * n)));
    }
    {
        float *values = upload(floats(REDUCE_SIZE, 6)), *result = upload(std::vector<float>{0});
        double time = measure([&] { reduce<<<64, 256>>>(REDUCE_SIZE, values, result); });
        CUDA(cudaMemset(result, 0, sizeof(float)));
        reduce<<<64, 256>>>(REDUCE_SIZE, values, result);
        print("reduce", time, download(result, 1)[0]);
    }
    {
        const int n = MANDELBROT_SIZE;
        int *iterations = upload(std::vector<int>(n * n));
        double time = measure([&] { mandelbrot<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(n, MANDELBROT_LIMIT, iterations); });
        print("mandelbrot", time, sum(download(iterations, n * n)));
    }
    {
        unsigned char *data = upload(bytes(HISTOGRAM_SIZE, 7));
        unsigned *bins = upload(std::vector<unsigned>(256));
        double time = measure([&] { histogram<<<64, 256>>>(HISTOGRAM_SIZE, data, bins); });
        CUDA(cudaMemset(bins, 0, 256 * sizeof(unsigned)));
        histogram<<<64, 256>>>(HISTOGRAM_SIZE, data, bins);
        print("histogram", time, weighted(download(bins, 256)));
    }
    {
        std::vector<float> numbers = floats(NBODY_SIZE * 4, 8);
        std::vector<float4> host(NBODY_SIZE);
        for (int i = 0; i < NBODY_SIZE; ++i)
            host[i] = make_float4(numbers[4 * i], numbers[4 * i + 1], numbers[4 * i + 2], numbers[4 * i + 3]);
        float4 *bodies = upload(host), *accelerations = upload(host);
        double time = measure([&] { nbody<<<NBODY_SIZE / 256, 256>>>(NBODY_SIZE, bodies, accelerations); });
        double total = 0;
        for (float4 a : download(accelerations, NBODY_SIZE)) total += std::fabs(a.x) + std::fabs(a.y) + std::fabs(a.z);
        print("nbody", time, total);
    }
    {
        // One launch, waited for; and one of many in a row.
        empty<<<1, 32>>>();
        CUDA(cudaDeviceSynchronize());
        const int count = 2000;
        double waited = best_milliseconds([&] {
            for (int i = 0; i < count; ++i) {
                empty<<<8, 32>>>();
                CUDA(cudaDeviceSynchronize());
            }
        });
        print("launch_waited", waited / count, 0);
        double queued = best_milliseconds([&] {
            for (int i = 0; i < count; ++i) empty<<<8, 32>>>();
            CUDA(cudaDeviceSynchronize());
        });
        print("launch_queued", queued / count, 0);
    }
}
