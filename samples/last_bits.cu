// sample: arch = compute_90
// sample: long = a hundred kernels, each of which is compiled and computes hashes
// sample: alone = it asks for exact functions before the driver is there
// CUDA's mathematical functions, which are PTX around approximate instructions, with the bits of an H100:
// hashes over some operands of every sign and exponent. `last_bits record` prints those of this device.
#include "sample.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// What an H100 80GB HBM3 gives (driver 580.159.04, code by CUDA 13.0 and 13.5, which has changed some functions).
#if CUDART_VERSION < 13050
#define CHANGED(X)                                                                                           \
    X(expm1f, 0x68773a5a1c0cea68) X(erff, 0xa7052499927dcc40) X(cyl_bessel_i0f, 0xdc8051f7b6b1c849)          \
    X(cyl_bessel_i1f, 0x23211fb9531cfd81)
#else
#define CHANGED(X)                                                                                           \
    X(expm1f, 0xcbc978e0b54e0802) X(erff, 0x316573d6458d3b23) X(cyl_bessel_i0f, 0xa2315469ce6675f2)          \
    X(cyl_bessel_i1f, 0xa8ad33486b10e2d8)
#endif
#define UNARY(X)                                                                                             \
    X(expf, 0x32976da1d0a1bce7) X(exp2f, 0x42e8a5c9e47f1e5b) X(exp10f, 0xc644a7ca4b8e25b5)                   \
    X(logf, 0xfe9883dc23ebfc17) X(log2f, 0x200ebd8710a42c7a) X(log10f, 0x3d16d7aba05d442d)                   \
    X(log1pf, 0x30534b534bc913f8) X(sinf, 0xc5ee4b56faffe658) X(cosf, 0xf04421cf161c1315)                    \
    X(tanf, 0x0f5cbb37ab43142a) X(sinpif, 0xb105bd2d371d4fe8) X(cospif, 0xf16f38eab0ba0e44)                  \
    X(asinf, 0x29362a6cb5365e3c) X(acosf, 0xc2d6f4676b3a5ce6) X(atanf, 0x2cc7419206f00b13)                   \
    X(sinhf, 0xb57c814bab2e517b) X(coshf, 0xec7e3b475fa13cb2) X(tanhf, 0xf1b23a0e4a00eaea)                   \
    X(asinhf, 0x38253bde0ee1383e) X(acoshf, 0x8f0c2efa1daef300) X(atanhf, 0xd3f0e6524c6f150e)                \
    X(sqrtf, 0xe89afc2b1b4fbc13) X(rsqrtf, 0x500c9a78a5143614) X(cbrtf, 0x5b9485f571da274e)                  \
    X(rcbrtf, 0xa31d5809dc1a0601) X(erfcf, 0x21434bec3f3a7f7d) X(erfinvf, 0xb74c79d9a2baa506)                \
    X(erfcinvf, 0xced0f0a83b4482af) X(erfcxf, 0x00edc6ee69392d10) X(normcdff, 0x718e333ea444b9fb)            \
    X(normcdfinvf, 0xb3ca104003278bba) X(tgammaf, 0xcfa37b427af350cd) X(lgammaf, 0xedebfe9108960aa9)         \
    X(j0f, 0x2e87a429a592972b) X(j1f, 0x4071ad85b80aa03f) X(y0f, 0xac7a9e9d92c1d863)                         \
    X(y1f, 0x0aba5791ae1f1ad4) X(__expf, 0x06ae84a12d9387d3) X(__exp10f, 0x235e25b7aa296a6c)                 \
    X(__logf, 0x09478e65e077f798) X(__log2f, 0xbe0e2631d702c8a6) X(__log10f, 0x14a3514302accc5c)             \
    X(__sinf, 0x3e33e017af7c5c08) X(__cosf, 0x30004c3469a11b46) X(__tanf, 0x97fb0154a599990f)                \
    X(__frcp_rn, 0x9a4c5e12ac9fc7d2) X(__fsqrt_rn, 0xe89afc2b1b4fbc13) X(__frsqrt_rn, 0x39bb95f63dd62bdf)    \
    CHANGED(X)
#define BINARY(X)                                                                                            \
    X(powf, 0xc81231bfd5e97721) X(__powf, 0x479c4a113ac454f6) X(divided, 0xb8fa6ce905cb6dae)                 \
    X(__fdividef, 0x3046ac77bdce6ba7) X(div_approx, 0x3046ac77bdce6ba7)                                      \
    X(div_approx_ftz, 0x4a62c08610310923) X(div_full, 0xc000182c9ff95aed)                                    \
    X(div_full_ftz, 0x540eab9a012c10fd) X(atan2f, 0x03fee06916a791d2) X(hypotf, 0x862935c332d93502)          \
    X(rhypotf, 0x30c4ebd472a1c429) X(fmodf, 0x4fdd4f479b74b10d) X(remainderf, 0xadc6c83a78575e46)
#define DOUBLE(X)                                                                                            \
    X(exp, 0xe260250169de203a) X(log, 0x47642ac7a467d3cb) X(sin, 0xf83791c8433b4a0c)                         \
    X(tan, 0x9625678eddb9b9fd) X(asin, 0x70a54418b39ed950) X(tanh, 0xac44c8d560755a52)                       \
    X(sqrt, 0x16e7fb01b4780271) X(rsqrt, 0x1ca5f3350a643935) X(reciprocal, 0xc69748b3a18dd66f)               \
    X(cbrt, 0xdd53478bf9bf207a) X(erf, 0x437ec0d6f90621fa) X(erfc, 0xec299b9ad3a1d1a5)                       \
    X(tgamma, 0xfc7a1e6b4f74bbce) X(lgamma, 0xfead2831f5fc1786)
#define HALF(X)                                                                                              \
    X(hexp, 0x9218c3b0bcc9f32b) X(hexp2, 0x96717fa87b937b06) X(hexp10, 0x7b991446ee80fa1a)                   \
    X(hlog, 0x0069c83d6ee06a54) X(hlog2, 0x4fd43708c011ea6f) X(hlog10, 0x30f6ae63542f5c22)                   \
    X(hsin, 0x26c828eb876794c3) X(hcos, 0x2c3c9dd58566538b) X(hsqrt, 0x63e9b4bbd86e05ec)                     \
    X(hrsqrt, 0xc8bd44527b5215f9) X(hrcp, 0x7fb0dfa83ae0105f) X(ex2_approx, 0xe94efa7be33f710e)              \
    X(tanh_approx, 0xed15db6b9ed9da68) X(htanh, 0x10a038e63a3cb30a) X(htanh_approx, 0xed15db6b9ed9da68)
#define BFLOAT(X)                                                                                            \
    X(hexp, 0x7f72f281ed133aa7) X(hexp2, 0x0ead5cd7b9eeb2c5) X(hexp10, 0xccca89e1f6ec2afc)                   \
    X(hlog, 0x7efa91060f983bdf) X(hlog2, 0x323230d2927fed45) X(hlog10, 0x60ec68695c73159b)                   \
    X(hsin, 0xfd4ab05c7e569770) X(hcos, 0x8840334cf80f2018) X(hsqrt, 0x4d8f7d24a61a6bff)                     \
    X(hrsqrt, 0x140a5824eaa9bb69) X(hrcp, 0x4a77812e4d9bffea) X(ex2_approx, 0x611ae5208b654b3c)              \
    X(tanh_approx, 0x1f2dc0bad73b8699) X(htanh, 0x8fb9c614be745f88) X(htanh_approx, 0x1f2dc0bad73b8699)

#define QUOTIENT(name, instruction)                                                                          \
    __device__ float name(float a, float b) {                                                                \
        float quotient;                                                                                      \
        asm(instruction " %0, %1, %2;" : "=f"(quotient) : "f"(a), "f"(b));                                   \
        return quotient;                                                                                     \
    }
QUOTIENT(div_approx, "div.approx.f32")
QUOTIENT(div_approx_ftz, "div.approx.ftz.f32")
QUOTIENT(div_full, "div.full.f32")
QUOTIENT(div_full_ftz, "div.full.ftz.f32")
__device__ float divided(float a, float b) { return a / b; }
__device__ double reciprocal(double a) { return 1 / a; }

__device__ __half ex2_approx(__half x) {
    unsigned short bits = __half_as_ushort(x);
    asm("ex2.approx.f16 %0, %0;" : "+h"(bits));
    return __ushort_as_half(bits);
}
__device__ __half tanh_approx(__half x) {
    unsigned short bits = __half_as_ushort(x);
    asm("tanh.approx.f16 %0, %0;" : "+h"(bits));
    return __ushort_as_half(bits);
}
__device__ __nv_bfloat16 ex2_approx(__nv_bfloat16 x) {
    unsigned short bits = __bfloat16_as_ushort(x);
    asm("ex2.approx.ftz.bf16 %0, %0;" : "+h"(bits));
    return __ushort_as_bfloat16(bits);
}
__device__ __nv_bfloat16 tanh_approx(__nv_bfloat16 x) {
    unsigned short bits = __bfloat16_as_ushort(x);
    asm("tanh.approx.bf16 %0, %0;" : "+h"(bits));
    return __ushort_as_bfloat16(bits);
}

__device__ uint64_t mixed(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

// An operand: the sign and the exponent of `index / per`, and the first, the last and some other fractions.
__device__ uint32_t operand(uint32_t index, uint32_t per, uint32_t seed) {
    uint32_t place = index % per;
    uint32_t fraction = mixed(uint64_t(seed) << 32 | index) >> 41;
    if (place < 8) fraction = place;
    else if (place < 16) fraction = (1 << 23) - 1 - (place - 8);
    return index / per << 23 | fraction;
}

// What a result and its operands add to a sum.
__device__ void add(unsigned long long *sum, uint64_t operands, uint64_t result) {
    atomicAdd(sum, (unsigned long long)mixed(mixed(operands + 0x9e3779b97f4a7c15) ^ result));
}

constexpr unsigned blocks = 512, threads = 256;

#define X(name, hash)                                                                                        \
    __global__ void k_##name(unsigned long long *sum) {                                                      \
        uint32_t index = blockIdx.x * threads + threadIdx.x, bits = operand(index, threads, 1);              \
        add(sum, bits, __float_as_uint(name(__uint_as_float(bits))));                                        \
    }
UNARY(X)
#undef X

#define X(name, hash)                                                                                        \
    __global__ void k_##name(unsigned long long *sum) {                                                      \
        uint32_t index = blockIdx.x * threads + threadIdx.x, a = operand(index, threads, 2);                 \
        uint32_t other = index * 2654435761u;                                                                \
        uint32_t b = operand(other % (blocks * threads), threads, 3);                                        \
        if (threadIdx.x & 1) b = (b & 0x807fffff) | (a + ((b >> 3) % 21 << 23) - (10 << 23) & 0x7f800000);   \
        float result = name(__uint_as_float(a), __uint_as_float(b));                                         \
        add(sum, uint64_t(a) << 32 | b, __float_as_uint(result));                                            \
    }
BINARY(X)
#undef X

#define X(name, hash)                                                                                        \
    __global__ void d_##name(unsigned long long *sum) {                                                      \
        uint32_t index = blockIdx.x * threads + threadIdx.x, high = operand(index, threads, 4);              \
        uint64_t bits = uint64_t(high) << 32 | uint32_t(mixed(index));                                       \
        add(sum, bits, __double_as_longlong(name(__longlong_as_double(bits))));                              \
    }
DOUBLE(X)
#undef X

#define X(name, hash)                                                                                        \
    __global__ void h_##name(unsigned long long *sum) {                                                      \
        uint32_t bits = blockIdx.x * threads + threadIdx.x;                                                  \
        if (bits < 1 << 16) add(sum, bits, __half_as_ushort(name(__ushort_as_half(bits))));                  \
    }
HALF(X)
#undef X

#define X(name, hash)                                                                                        \
    __global__ void b_##name(unsigned long long *sum) {                                                      \
        uint32_t bits = blockIdx.x * threads + threadIdx.x;                                                  \
        if (bits < 1 << 16) add(sum, bits, __bfloat16_as_ushort(name(__ushort_as_bfloat16(bits))));          \
    }
BFLOAT(X)
#undef X

const struct {
    const char *name;
    void (*kernel)(unsigned long long *);
    uint64_t hash;
} functions[] = {
#define X(name, hash) {#name, k_##name, hash},
    UNARY(X) BINARY(X)
#undef X
#define X(name, hash) {#name " of doubles", d_##name, hash},
    DOUBLE(X)
#undef X
#define X(name, hash) {#name " of halves", h_##name, hash},
    HALF(X)
#undef X
#define X(name, hash) {#name " of bfloats", b_##name, hash},
    BFLOAT(X)
#undef X
};

int main(int argc, char **) {
    setenv("ZLUDA_MATH", "exact", 1);
    DeviceArray<unsigned long long> sum(1);
    bool good = true;
    for (auto &function : functions) {
        sum.fill_bytes(0);
        function.kernel<<<blocks, threads>>>(sum.get());
        CUDA_FINISH();
        uint64_t found = sum.to_host()[0];
        if (argc > 1) {
            std::printf("%s 0x%016llx\n", function.name, (unsigned long long)found);
        } else if (found != function.hash) {
            std::printf("FAIL %s has other bits than on an H100\n", function.name);
            good = false;
        }
    }
    return good ? pass("last_bits") : 1;
}
