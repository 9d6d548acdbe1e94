// Transforms of 1024 complex numbers, a block each: five passes of radix four, in Stockham's order, with the numbers in
// shared memory between passes.
#include "cuda_bench.h"
#include "fft.h"

constexpr int N = FFT_SIZE, THREADS = N / 4;
static_assert(N == 1024, "five passes");

__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

__global__ void fft(const float2 *from, const float2 *roots, float2 *to) {
    __shared__ float2 numbers[N];
    int thread = threadIdx.x;
    from += blockIdx.x * N;
    to += blockIdx.x * N;
    float2 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = from[thread + k * THREADS];
#pragma unroll
    for (int done = 1; done < N; done *= 4) {
        int step = thread & (done - 1), root = step * (N / 4 / done);
#pragma unroll
        for (int k = 1; k < 4; ++k) v[k] = v[k] * roots[k * root];
        float2 a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
        float2 turned = make_float2(d.y, -d.x);
        v[0] = a + c;
        v[1] = b + turned;
        v[2] = a - c;
        v[3] = b - turned;
        int place = (thread - step) * 4 + step;
        if (done == N / 4) {
#pragma unroll
            for (int k = 0; k < 4; ++k) to[place + k * done] = v[k];
            return;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 4; ++k) numbers[place + k * done] = v[k];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 4; ++k) v[k] = numbers[thread + k * THREADS];
    }
}

int main() {
    const int count = 2 * FFT_COUNT * N;
    float *from = to_device(random_floats(count, 1)), *to = on_device<float>(count), *table = to_device(roots());
    measure_kernel("fft_1024", to, count,
                   [&] { fft<<<FFT_COUNT, THREADS>>>((float2 *)from, (float2 *)table, (float2 *)to); });
}
