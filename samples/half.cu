// Arithmetic of half-precision numbers (cuda_fp16.h), single and in pairs.
// sample: machine_code = products and sums of two halves
#include "half_arithmetic.h"

#include <cuda_fp16.h>

struct Half {
    static __device__ __half from_bits(uint16_t bits) { return __ushort_as_half(bits); }
    static __device__ uint16_t bits(__half x) { return __half_as_ushort(x); }
    // The _rn forms are never contracted to an fma.
    static __device__ __half add(__half x, __half y) { return __hadd_rn(x, y); }
    static __device__ __half subtract(__half x, __half y) { return __hsub_rn(x, y); }
    static __device__ __half multiply(__half x, __half y) { return __hmul_rn(x, y); }
    static __device__ __half fma(__half x, __half y, __half z) { return __hfma(x, y, z); }
    static __device__ __half absolute(__half x) { return __habs(x); }
    static __device__ __half maximum(__half x, __half y) { return __hmax(x, y); }
    static __device__ __half minimum(__half x, __half y) { return __hmin(x, y); }
    static __device__ float to_float(__half x) { return __half2float(x); }
    static __device__ __half from_float(float x) { return __float2half_rn(x); }
    static __device__ __half from_int(int x) { return __int2half_rn(x); }
    static __device__ int to_int(__half x) { return __half2int_rn(x); }
    static __device__ __half square_root(__half x) { return hsqrt(x); }
    static __device__ uint32_t pair_fma(__half a, __half b, __half c, __half d, __half e, __half f) {
        __half2 result = __hfma2(__halves2half2(a, b), __halves2half2(c, d), __halves2half2(e, f));
        return __half_as_ushort(__low2half(result)) | uint32_t(__half_as_ushort(__high2half(result))) << 16;
    }
};

// A dot product in pairs, and functions with a stated error.
__global__ void dot(const __half2 *a, const __half2 *b, int count, float *sum) {
    float mine = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        float2 product = __half22float2(__hmul2(a[i], b[i]));
        mine += product.x + product.y;
    }
    for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(0xffffffff, mine, offset);
    if (threadIdx.x == 0) *sum = mine;
}

__global__ void functions(const __half *x, __half *out, int count) {
    int i = threadIdx.x;
    if (i >= count) return;
    out[i * 6] = hexp(x[i]);
    out[i * 6 + 1] = hlog2(x[i]);
    out[i * 6 + 2] = hsin(x[i]);
    out[i * 6 + 3] = hrsqrt(x[i]);
    out[i * 6 + 4] = hfloor(x[i]);
    out[i * 6 + 5] = __shfl_xor_sync(0xffffffff, x[i], 1);
}

int main() {
    check_arithmetic<__half, Half>("half", Format{5, 10}, 100);
    check_arithmetic<__half, Half>("half, overflowing", Format{5, 10}, 2000);
    check_arithmetic<__half, Half>("half, subnormal", Format{5, 10}, 0.002);

    const int count = 64;
    Random random(17);
    std::vector<__half> x(2 * count), y(2 * count);
    double exact = 0;
    for (int i = 0; i < 2 * count; ++i) {
        x[i] = __float2half(float(random.between(0.25, 4)));
        y[i] = __float2half(float(random.between(0.25, 4)));
        exact += double(__half2float(x[i])) * double(__half2float(y[i]));
    }
    DeviceArray<__half> device_x(x), device_y(y), out(count * 6);
    DeviceArray<float> sum(1);
    dot<<<1, 32>>>((const __half2 *)device_x.get(), (const __half2 *)device_y.get(), count, sum.get());
    functions<<<1, count>>>(device_x.get(), out.get(), count);
    CUDA_FINISH();
    // Each product rounds to 11 bits.
    expect_near("dot product", {sum.to_host()[0]}, std::vector<float>{float(exact)}, 5e-4);

    std::vector<double> got(count * 6), expected(count * 6);
    auto host_out = out.to_host();
    for (int i = 0; i < count * 6; ++i) {
        double v = __half2float(x[i / 6]);
        const double results[] = {std::exp(v),       std::log2(v),  std::sin(v),
                                  1 / std::sqrt(v), std::floor(v), __half2float(x[(i / 6) ^ 1])};
        expected[i] = results[i % 6];
        got[i] = __half2float(host_out[i]);
    }
    // The functions are within two units in the last place: 2^-9.
    expect_near("functions", got, expected, 1.0 / 512);
    return pass("half");
}
