// The functions of CUDA's mathematics, on both floating-point types and on integers.
extern "C" __global__ void singles(float *x, int *n) {
    float a = x[threadIdx.x], b = x[threadIdx.x + 1], s, c, whole;
    int e;
    sincosf(a, &s, &c);
    float r = frexpf(a, &e) + modff(b, &whole) + s + c + whole;
    r += sinf(a) + cosf(b) + tanf(a) + asinf(b) + acosf(a) + atanf(b) + atan2f(a, b) + sinhf(a) + coshf(b) + tanhf(a);
    r += asinhf(b) + acoshf(a) + atanhf(b) + expf(a) + exp2f(b) + exp10f(a) + expm1f(b) + logf(a) + log2f(b) + log10f(a);
    r += log1pf(b) + powf(a, b) + cbrtf(a) + hypotf(a, b) + erff(a) + erfcf(b) + erfinvf(a) + tgammaf(a) + lgammaf(b);
    r += fmodf(a, b) + remainderf(a, b) + ldexpf(a, e) + nextafterf(a, b) + j0f(a) + y1f(b) + normcdff(a) + rsqrtf(a);
    r += sqrtf(b) + fmaf(a, b, s) + copysignf(a, b) + fdimf(a, b) + __fdividef(a, b) + __powf(a, b) + __saturatef(a);
    r += __frcp_ru(a) + __fsqrt_rd(b) + __fadd_rz(a, b) + rhypotf(a, b) + sinpif(a) + cyl_bessel_i0f(a);
    x[threadIdx.x] = r;
    n[threadIdx.x] = __float2int_ru(a) + lrintf(b) + llroundf(a) + ilogbf(b) + isnan(a) + __float_as_int(b);
}

extern "C" __global__ void doubles(double *x) {
    double a = x[threadIdx.x], b = x[threadIdx.x + 1];
    double r = sin(a) + cos(b) + tan(a) + asin(b) + acos(a) + atan2(a, b) + sinh(a) + tanh(b) + exp(a) + exp2(b);
    r += expm1(a) + log(a) + log2(b) + log1p(a) + pow(a, b) + cbrt(a) + hypot(a, b) + erf(a) + erfc(b) + tgamma(a);
    r += lgamma(b) + fmod(a, b) + remainder(a, b) + rsqrt(a) + sqrt(b) + fma(a, b, a) + j1(a) + normcdfinv(a);
    r += __drcp_ru(a) + __dadd_rd(a, b) + erfcinv(a) + rint(a) + nearbyint(b) + trunc(a) + round(b);
    x[threadIdx.x] = r;
}

extern "C" __global__ void integers(unsigned *x, unsigned long long *y, int *z) {
    unsigned a = x[threadIdx.x], b = x[threadIdx.x + 1];
    unsigned long long c = y[threadIdx.x], d = y[threadIdx.x + 1];
    unsigned r = __popc(a) + __clz(b) + __ffs(a) + __brev(b) + __byte_perm(a, b, 0x5410) + __funnelshift_l(a, b, 7);
    r += __funnelshift_rc(a, b, a) + __umulhi(a, b) + __usad(a, b, 3) + __vadd4(a, b) + __vabsdiffs4(a, b);
    r += __vcmpgtu2(a, b) + __vmaxs2(a, b) + __dp4a(a, b, 5u) + __dp2a_lo(a, b, 6u) + __vsetleu4(a, b) + a / b + a % b;
    r += __vavgu2(a, b) + __mul24(a, b) + __uhadd(a, b) + __viaddmax_s32(a, b, 3) + __vimax3_u32(a, b, 4);
    x[threadIdx.x] = r;
    y[threadIdx.x] = c / d + c % d + __umul64hi(c, d) + __popcll(c) + __clzll(d) + (long long) c / (long long) d;
    z[threadIdx.x] = __match_any_sync(~0u, a) + __shfl_up_sync(~0u, a, 3) + __any_sync(~0u, b) + __activemask();
    z[threadIdx.x] += __syncthreads_count(a);
}
