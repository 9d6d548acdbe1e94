// Mathematical functions of doubles and floats against the host's libm, in units in the last place, and the
// fast intrinsics against looser bounds.
#include "sample.h"

#include <algorithm>

#define UNARY(X)                                                                                             \
    X(sin, 2) X(cos, 2) X(tan, 2) X(exp, 1) X(exp2, 1) X(expm1, 1) X(log, 1) X(log2, 1) X(log10, 1)          \
    X(log1p, 1) X(sqrt, 0) X(cbrt, 1) X(atan, 2) X(sinh, 2) X(cosh, 1) X(tanh, 1) X(asinh, 3)    \
    X(erf, 2) X(floor, 0) X(ceil, 0) X(trunc, 0) X(rint, 0) X(round, 0) X(fabs, 0)
#define DEVICE_ONLY(X) X(rsqrt, 1)
#define BOUNDED(X) X(asin, 2) X(acos, 2) X(atanh, 3)
#define BINARY(X) X(pow, 2) X(atan2, 2) X(hypot, 2) X(fmod, 0) X(remainder, 0) X(fmax, 0) X(fmin, 0) X(copysign, 0)

enum Function {
#define X(name, ulps) f_##name,
    UNARY(X) DEVICE_ONLY(X) BOUNDED(X) BINARY(X)
#undef X
        FUNCTIONS
};

// The bounds of the CUDA Programming Guide for doubles; floats may be off by two units more, since their table
// goes up to 4.
const struct {
    const char *name;
    double ulps;
} functions[FUNCTIONS] = {
#define X(name, ulps) {#name, ulps},
    UNARY(X) DEVICE_ONLY(X) BOUNDED(X) BINARY(X)
#undef X
};

template <class T> __device__ T call(int function, T x, T y) {
    switch (function) {
#define X(name, ulps)                                                                                        \
    case f_##name: return name(x);
        UNARY(X) DEVICE_ONLY(X)
#undef X
#define X(name, ulps)                                                                                        \
    case f_##name: return name(x - trunc(x));
        BOUNDED(X)
#undef X
#define X(name, ulps)                                                                                        \
    case f_##name: return name(x, y);
        BINARY(X)
#undef X
    }
    return 0;
}

// In long double, wider than both.
long double exact(int function, long double x, long double y) {
    switch (function) {
    case f_rsqrt: return 1 / sqrtl(x);
#define X(name, ulps)                                                                                        \
    case f_##name: return name##l(x);
        UNARY(X)
#undef X
#define X(name, ulps)                                                                                        \
    case f_##name: return name##l(x - truncl(x));
        BOUNDED(X)
#undef X
#define X(name, ulps)                                                                                        \
    case f_##name: return name##l(x, y);
        BINARY(X)
#undef X
    }
    return 0;
}

template <class T> __global__ void evaluate(const T *x, const T *y, T *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int function = blockIdx.y;
    if (i < count) out[function * count + i] = call(function, x[i], y[i]);
}

template <class T> double ulps_apart(T got, long double wanted) {
    T rounded = T(wanted);
    if (std::isnan(got) || std::isnan(rounded)) return std::isnan(got) == std::isnan(rounded) ? 0 : INFINITY;
    if (std::isinf(got) || std::isinf(rounded)) return got == rounded ? 0 : INFINITY;
    T next = std::nextafter(std::fabs(rounded), T(INFINITY));
    long double unit = next - std::fabs(rounded);
    return double(fabsl(got - wanted) / unit);
}

template <class T> void check(const char *type, const std::vector<T> &x, const std::vector<T> &y, double extra) {
    int count = x.size();
    DeviceArray<T> device_x(x), device_y(y), out(count * FUNCTIONS);
    evaluate<<<dim3((count + 63) / 64, FUNCTIONS), 64>>>(device_x.get(), device_y.get(), out.get(), count);
    CUDA_FINISH();
    auto got = out.to_host();
    for (int function = 0; function < FUNCTIONS; ++function)
        for (int i = 0; i < count; ++i) {
            T result = got[function * count + i];
            long double wanted = exact(function, x[i], y[i]);
            // Half a unit more for the rounding of an exact result.
            double allowed = functions[function].ulps + 0.5 + (functions[function].ulps > 0 ? extra : 0);
            if (!(ulps_apart(result, wanted) <= allowed))
                fail("%s of %ss, %.17g and %.17g: got %.17g, expected %.17g, %.3g units apart", functions[function].name,
                     type, double(x[i]), double(y[i]), double(result), double(wanted), ulps_apart(result, wanted));
        }
    print_hash(type, got);
}

__global__ void fast(const float *x, float *out, int count) {
    int i = threadIdx.x;
    if (i >= count) return;
    float v = x[i], *mine = out + 8 * i;
    mine[0] = __sinf(v), mine[1] = __cosf(v), mine[2] = __expf(v), mine[3] = __logf(v), mine[4] = __powf(v, 1.5f);
    mine[5] = __fdividef(v, 3.25f), mine[6] = __frsqrt_rn(v), mine[7] = __saturatef(v - 1);
}

// The four IEEE roundings.
__global__ void rounded(double a, double b, double *out) {
    out[0] = __dadd_rn(a, b), out[1] = __dadd_rz(a, b), out[2] = __dadd_ru(a, b), out[3] = __dadd_rd(a, b);
    out[4] = __ddiv_rn(a, b), out[5] = __ddiv_rz(a, b), out[6] = __ddiv_ru(a, b), out[7] = __ddiv_rd(a, b);
    out[8] = __double2float_rz(a), out[9] = __double2float_ru(a), out[10] = __double2int_rd(a / 1000);
    out[11] = __fma_rn(a, b, -a * b), out[12] = __double2ll_rz(a * 1e6), out[13] = __dsqrt_rn(a);
}

int main() {
    Random random(21);
    std::vector<double> x = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, INFINITY, -INFINITY, NAN, 1e-320, 1e-300, 1e300, 1e22, 3e9};
    std::vector<double> y = {1.0, 2.0, -1.0, 0.5, 3.0, 0.0, -0.0, INFINITY, 1.0, 2.0, 3.0, 0.1, 7.0, 3.0};
    for (int i = 0; i < 50; ++i) {
        double scale = std::pow(10, int(random.next() % 8) - 4);
        x.push_back(random.between(i % 4 ? 0 : -1, 1) * scale);
        y.push_back(random.between(-20, 20));
    }
    check("double", x, y, 0);

    std::vector<float> xf = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 2.0f, INFINITY, -INFINITY, NAN, 1e-40f, 1e-37f, 1e37f, 1e6f};
    std::vector<float> yf = {1.0f, 2.0f, -1.0f, 0.5f, 3.0f, 0.0f, -0.0f, INFINITY, 1.0f, 2.0f, 3.0f, 0.1f, 7.0f};
    for (int i = 0; i < 51; ++i) {
        double scale = std::pow(10, int(random.next() % 6) - 3);
        xf.push_back(float(random.between(i % 4 ? 0 : -1, 1) * scale));
        yf.push_back(float(random.between(-9, 9)));
    }
    check("float", xf, yf, 2);

    const int count = 60;
    auto v = random.numbers<float>(count, 0.1, 3);
    DeviceArray<float> device_v(v), out(8 * count);
    fast<<<1, 64>>>(device_v.get(), out.get(), count);
    CUDA_FINISH();
    std::vector<float> expected(8 * count);
    for (int i = 0; i < count; ++i) {
        const double results[] = {std::sin(v[i]),      std::cos(v[i]),        std::exp(v[i]),
                                  std::log(v[i]),      std::pow(v[i], 1.5),   v[i] / 3.25,
                                  1 / std::sqrt(v[i]), std::fmin(std::fmax(double(v[i] - 1), 0), 1)};
        for (int n = 0; n < 8; ++n) expected[8 * i + n] = float(results[n]);
    }
    // The intrinsics' errors are absolute ones of 2^-21 and relative ones of some units.
    expect_near("fast intrinsics", out.to_host(), expected, 2e-6);

    // 1/3-like numbers round differently in every direction; the neighbours come from nextafter.
    double a = 1234567.1, b = 0.3;
    DeviceArray<double> device_rounded(14);
    rounded<<<1, 1>>>(a, b, device_rounded.get());
    CUDA_FINISH();
    auto directed = [](long double wanted, double *four) {
        double nearest = double(wanted);
        double below = nearest > wanted ? std::nextafter(nearest, -INFINITY) : nearest;
        double above = nearest < wanted ? std::nextafter(nearest, INFINITY) : nearest;
        four[0] = nearest, four[1] = below, four[2] = above, four[3] = below;
    };
    std::vector<double> wanted(14);
    directed((long double)a + b, &wanted[0]);
    directed((long double)a / b, &wanted[4]);
    float nearest = float(a);
    wanted[8] = nearest > a ? std::nextafter(nearest, 0.0f) : nearest;
    wanted[9] = nearest < a ? std::nextafter(nearest, INFINITY) : nearest;
    wanted[10] = std::floor(a / 1000);
    wanted[11] = std::fma(a, b, -(a * b));
    wanted[12] = double((long long)(a * 1e6));
    wanted[13] = std::sqrt(a);
    expect_equal("directed rounding", device_rounded.to_host(), wanted);
    return pass("math");
}
