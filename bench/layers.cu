// Softmax and layer norm of rows, a block a row.
#include "cuda_bench.h"
#include "sizes.h"

constexpr int N = LAYER_LENGTH, THREADS = 256;
static_assert(N == 4 * THREADS);

struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};

struct Max {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// The same result in all threads of the block.
template <class Op> __device__ float reduce(float value, Op op) {
    __shared__ float warps[THREADS / 32];
    for (int offset = 16; offset > 0; offset /= 2) value = op(value, __shfl_xor_sync(0xffffffff, value, offset));
    __syncthreads();
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = warps[0];
    for (int warp = 1; warp < THREADS / 32; ++warp) value = op(value, warps[warp]);
    return value;
}

__global__ void softmax(const float *from, float *to, int length) {
    from += blockIdx.x * length;
    to += blockIdx.x * length;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < length; i += THREADS) most = fmaxf(most, from[i]);
    most = reduce(most, Max());
    for (int i = threadIdx.x; i < length; i += THREADS) sum += expf(from[i] - most);
    sum = reduce(sum, Sum());
    for (int i = threadIdx.x; i < length; i += THREADS) to[i] = expf(from[i] - most) / sum;
}

__global__ void layer_norm(const float4 *from, const float4 *scale, const float4 *shift, float4 *to) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    float4 v = from[i], s = scale[threadIdx.x], b = shift[threadIdx.x];
    float mean = reduce(v.x + v.y + v.z + v.w, Sum()) / N;
    v = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
    float variance = reduce(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w, Sum()) / N;
    float factor = rsqrtf(variance + 1e-5f);
    to[i] = make_float4(v.x * factor * s.x + b.x, v.y * factor * s.y + b.y, v.z * factor * s.z + b.z,
                        v.w * factor * s.w + b.w);
}

int main() {
    const int count = LAYER_ROWS * N;
    auto numbers = random_floats(count, 1);
    for (float &number : numbers) number *= 8;
    float *from = to_device(numbers), *to = on_device<float>(count);
    float *scale = to_device(random_floats(N, 2)), *shift = to_device(random_floats(N, 3));
    measure_kernel("softmax", to, count, [&] { softmax<<<LAYER_ROWS, THREADS>>>(from, to, N); });
    measure_kernel("layer_norm", to, count, [&] {
        layer_norm<<<LAYER_ROWS, THREADS>>>((float4 *)from, (float4 *)scale, (float4 *)shift, (float4 *)to);
    });
}
