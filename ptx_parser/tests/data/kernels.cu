// Compiled by `nvcc -ptx -arch=compute_90 kernels.cu`; kernels.ptx is the result.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace cg = cooperative_groups;

__constant__ float weights[16];
__device__ int counter = 3;
__device__ const char *texts[2] = {"first", "second"};

struct Shape {
    __device__ virtual float area() const = 0;
};
struct Square : Shape {
    float side;
    __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
    float radius;
    __device__ float area() const override { return 3.14159f * radius * radius; }
};

__device__ __noinline__ double power(double x, int n) { return n == 0 ? 1.0 : x * power(x, n - 1); }
__device__ __noinline__ float3 cross(float3 a, float3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

extern "C" __global__ void __launch_bounds__(256, 2) reduce(const float *in, float *out, int n) {
    __shared__ float partial[32];
    extern __shared__ float scratch[];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += in[i] * weights[i & 15];
    }
    scratch[threadIdx.x] = sum;
    for (int offset = 16; offset > 0; offset /= 2) sum += warp.shfl_down(sum, offset);
    if (warp.thread_rank() == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < blockDim.x / 32; i++) sum += partial[i] + scratch[i];
        atomicAdd(out, sum);
        atomicMax(&counter, (int)sum);
    }
}

extern "C" __global__ void areas(Shape **shapes, float *out) {
    out[threadIdx.x] = shapes[threadIdx.x]->area();
    if (threadIdx.x == 0) printf("%s %f\n", texts[0], out[0]);
}

extern "C" __global__ void functions(double *d, float3 *f, __half2 *h, __nv_bfloat16 *b, long long *l) {
    d[0] = power(d[1], (int)d[2]) + sin(d[3]) / sqrt(d[4]);
    f[0] = cross(f[1], f[2]);
    h[0] = __hfma2(h[1], h[2], h[3]);
    b[0] = __float2bfloat16(__bfloat162float(b[1]) * expf(d[5]));
    l[0] = __popcll(l[1]) + __clzll(l[2]) + __ffsll(l[3]) + __brevll(l[4]) + l[5] / l[6] + l[7] % 7;
    l[1] = __ballot_sync(~0u, l[2] > 3) + __match_any_sync(~0u, l[3]) + __reduce_add_sync(~0u, (int)l[4]);
    l[2] = clock64() + atomicCAS((unsigned long long *)l, 1ull, 2ull) + __dp4a((int)l[1], (int)l[2], 3);
}

extern "C" __global__ void tensor(const __half *a, const __half *b, float *c) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, half, col_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    load_matrix_sync(fa, a, 16);
    load_matrix_sync(fb, b, 16);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(c, fc, 16, mem_row_major);
}

extern "C" __global__ void texture(cudaTextureObject_t t, cudaSurfaceObject_t s, float *out) {
    out[0] = tex2D<float>(t, 0.5f, out[1]) + tex1Dfetch<float>(t, 3);
    surf2Dwrite(out[0], s, 4, 5);
}
