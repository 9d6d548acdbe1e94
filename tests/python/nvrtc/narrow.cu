// Types of 16 and 8 bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

extern "C" __global__ void halves(const __half *x, __half *y, __half2 *z, float *f) {
    int i = threadIdx.x;
    __half a = x[i], b = y[i];
    y[i] = __hfma(a, b, hsqrt(a)) + hexp(b) * hlog(a) - hsin(a) / hcos(b) + __hmax(a, b) + htanh(a) + hrcp(b);
    z[i] = __hfma2(z[i], __half2half2(a), h2exp2(z[i])) + __hmax2(z[i], z[i + 1]);
    z[i + 2] = __hfma2_relu(z[i], z[i + 1], z[i + 2]);
    f[i] = __half2float(a) + __low2float(z[i]) + __half2int_rn(a) + __half2ll_rz(b);
    y[i + 1] = __float2half_rz(f[i]) + __int2half_rn(i) + __ull2half_rn(i);
    atomicAdd(&y[i + 2], a);
    atomicAdd(&z[i + 3], z[i]);
    if (__hisnan(a) || __heq(a, b) || __hbltu2(z[i], z[i + 1])) f[i] = 0;
    z[i + 4] = __shfl_xor_sync(~0u, z[i], 1);
}

extern "C" __global__ void bfloats(const __nv_bfloat16 *x, __nv_bfloat16 *y, __nv_bfloat162 *z, float *f) {
    int i = threadIdx.x;
    __nv_bfloat16 a = x[i], b = y[i];
    y[i] = __hfma(a, b, a) + hsqrt(a) + hexp(b) + __hmax(a, b) + __float2bfloat16_ru(f[i]);
    z[i] = __hfma2(z[i], z[i + 1], z[i + 2]) + __floats2bfloat162_rn(f[i], f[i + 1]);
    f[i] = __bfloat162float(a) + __low2float(z[i]);
    atomicAdd(&y[i + 1], a);
    atomicAdd(&z[i + 4], z[i]);
    y[i + 5] = __habs(a) + hrcp(b) + htanh(a) + __int2bfloat16_rn(i) + __double2bfloat16(f[i]);
}

extern "C" __global__ void eights(const float *f, __nv_fp8_e4m3 *a, __nv_fp8_e5m2 *b, __nv_fp8x4_e4m3 *c,
                                  float4 *g) {
    int i = threadIdx.x;
    a[i] = __nv_fp8_e4m3(f[i]);
    b[i] = __nv_fp8_e5m2(f[i]);
    c[i] = __nv_fp8x4_e4m3(g[i]);
    g[i + 1] = (float4) c[i + 1];
    g[i].x = (float) a[i] + (float) b[i];
}
