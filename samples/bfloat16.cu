// Arithmetic of bfloat16 numbers (cuda_bf16.h). Before sm_80 the header computes with floats, and has no fma.
#include "half_arithmetic.h"

#include <cuda_bf16.h>

#ifndef SAMPLE_NAME
#define SAMPLE_NAME "bfloat16"
#endif

struct Bfloat16 {
    using T = __nv_bfloat16;
    static __device__ T from_bits(uint16_t bits) { return __ushort_as_bfloat16(bits); }
    static __device__ uint16_t bits(T x) { return __bfloat16_as_ushort(x); }
    // The _rn forms are never contracted to an fma.
    static __device__ T add(T x, T y) { return __hadd_rn(x, y); }
    static __device__ T subtract(T x, T y) { return __hsub_rn(x, y); }
    static __device__ T multiply(T x, T y) { return __hmul_rn(x, y); }
#if __CUDA_ARCH__ >= 800
    static __device__ T fma(T x, T y, T z) { return __hfma(x, y, z); }
#else
    static __device__ T fma(T x, T y, T z) {
        return __float2bfloat16_rn(fmaf(__bfloat162float(x), __bfloat162float(y), __bfloat162float(z)));
    }
#endif
    static __device__ T absolute(T x) { return __habs(x); }
    static __device__ T maximum(T x, T y) { return __hmax(x, y); }
    static __device__ T minimum(T x, T y) { return __hmin(x, y); }
    static __device__ float to_float(T x) { return __bfloat162float(x); }
    static __device__ T from_float(float x) { return __float2bfloat16_rn(x); }
    static __device__ T from_int(int x) { return __int2bfloat16_rn(x); }
    static __device__ int to_int(T x) { return __bfloat162int_rn(x); }
    static __device__ T square_root(T x) { return hsqrt(x); }
    static __device__ uint32_t pair_fma(T a, T b, T c, T d, T e, T f) {
#if __CUDA_ARCH__ >= 800
        __nv_bfloat162 result =
            __hfma2(__halves2bfloat162(a, b), __halves2bfloat162(c, d), __halves2bfloat162(e, f));
#else
        __nv_bfloat162 result = __halves2bfloat162(fma(a, c, e), fma(b, d, f));
#endif
        return __bfloat16_as_ushort(__low2bfloat16(result)) |
               uint32_t(__bfloat16_as_ushort(__high2bfloat16(result))) << 16;
    }
};

int main() {
    check_arithmetic<__nv_bfloat16, Bfloat16>("bfloat16", Format{8, 7}, 100);
    check_arithmetic<__nv_bfloat16, Bfloat16>("bfloat16, small", Format{8, 7}, 1e-9);
    return pass(SAMPLE_NAME);
}
