// The body of the half and bfloat16 samples: arithmetic, comparisons and conversions of a 16-bit float type,
// against roundings of exact doubles made here.
#pragma once
#include "sample.h"

#include <algorithm>

// A binary floating-point format of 16 bits.
struct Format {
    int exponent_bits, mantissa_bits;

    double decode(uint16_t bits) const {
        int bias = (1 << (exponent_bits - 1)) - 1;
        int exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1);
        int mantissa = bits & ((1 << mantissa_bits) - 1);
        double sign = bits >> 15 ? -1 : 1;
        if (exponent == (1 << exponent_bits) - 1) return mantissa ? NAN : sign * INFINITY;
        if (exponent == 0) return sign * std::ldexp(double(mantissa), 1 - bias - mantissa_bits);
        return sign * std::ldexp(double(mantissa + (1 << mantissa_bits)), exponent - bias - mantissa_bits);
    }

    // To nearest, ties to even.
    uint16_t encode(double value) const {
        int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
        uint16_t sign = std::signbit(value) ? 0x8000 : 0;
        if (std::isnan(value)) return 0x7fff;
        value = std::fabs(value);
        if (value == 0) return sign;
        int exponent = std::isinf(value) ? top : std::max(std::ilogb(value), 1 - bias);
        if (exponent < top) {
            // nearbyint rounds to even; a carry moves into the exponent by itself.
            double mantissa = std::nearbyint(std::ldexp(value, mantissa_bits - exponent));
            long bits = long(mantissa) + (long(exponent + bias - 1) << mantissa_bits);
            if (bits < long(top) << mantissa_bits) return sign | uint16_t(bits);
        }
        return sign | uint16_t(top << mantissa_bits);
    }
};

constexpr int OPERATIONS = 16;

// `T` has the operators; `Traits` names the conversions and the functions of the type.
template <class T, class Traits> __global__ void operate(const uint16_t *a, const uint16_t *b, uint16_t *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    T x = Traits::from_bits(a[i]), y = Traits::from_bits(b[i]);
    uint16_t *mine = out + i * OPERATIONS;
    mine[0] = Traits::bits(Traits::add(x, y));
    mine[1] = Traits::bits(Traits::subtract(x, y));
    mine[2] = Traits::bits(Traits::multiply(x, y));
    mine[3] = Traits::bits(Traits::fma(x, y, x));
    mine[4] = Traits::bits(-x);
    mine[5] = Traits::bits(Traits::absolute(y));
    mine[6] = Traits::bits(Traits::maximum(x, y));
    mine[7] = Traits::bits(Traits::minimum(x, y));
    mine[8] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 | (x >= y) << 5;
    mine[9] = Traits::bits(Traits::from_float(Traits::to_float(x) * 1.001f));
    mine[10] = Traits::bits(Traits::from_int(int(Traits::to_float(x)) * 3));
    mine[11] = uint16_t(Traits::to_int(x));
    uint32_t pair = Traits::pair_fma(x, y, y, x, x, y);
    mine[12] = uint16_t(pair);
    mine[13] = uint16_t(pair >> 16);
    mine[14] = Traits::bits(x / y);
    mine[15] = Traits::bits(Traits::square_root(Traits::absolute(x)));
}

template <class T, class Traits> void check_arithmetic(const char *name, Format format, double range) {
    const int count = 600;
    Random random(16);
    std::vector<uint16_t> a(count), b(count);
    for (int i = 0; i < count; ++i) {
        a[i] = format.encode(random.between(-range, range));
        b[i] = i % 7 == 0 ? a[i] : format.encode(random.between(-range, range));
        if (b[i] << 1 == 0) b[i] = format.encode(1);
    }
    DeviceArray<uint16_t> device_a(a), device_b(b), out(count * OPERATIONS);
    operate<T, Traits><<<(count + 127) / 128, 128>>>(device_a.get(), device_b.get(), out.get(), count);
    CUDA_FINISH();
    auto got = out.to_host();

    static const char *const names[OPERATIONS] = {
        "add",      "subtract", "multiply",   "fma",      "negate",      "absolute",  "maximum",  "minimum",
        "compare",  "to float", "from int",   "to int",   "pair fma, x", "pair fma, y", "divide", "square root"};
    for (int i = 0; i < count; ++i) {
        // Doubles hold sums, products and fmas of these values exactly, or far enough from any tie.
        double x = format.decode(a[i]), y = format.decode(b[i]);
        uint16_t expected[OPERATIONS] = {
            format.encode(x + y), format.encode(x - y), format.encode(x * y), format.encode(std::fma(x, y, x)),
            format.encode(-x), format.encode(std::fabs(y)), format.encode(std::fmax(x, y)),
            format.encode(std::fmin(x, y)),
            uint16_t((x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 | (x >= y) << 5),
            format.encode(float(x) * 1.001f), format.encode(int(float(x)) * 3), uint16_t(int(std::nearbyint(x))),
            format.encode(std::fma(x, y, x)), format.encode(std::fma(y, x, y)), format.encode(x / y),
            format.encode(std::sqrt(std::fabs(x)))};
        for (int operation = 0; operation < OPERATIONS; ++operation) {
            uint16_t result = got[i * OPERATIONS + operation];
            // Division and the square root may be one unit in the last place away.
            int allowed = operation >= 14 ? 1 : 0;
            if (std::abs(result - expected[operation]) > allowed)
                fail("%s: %s of %g and %g: got %04x, expected %04x", name, names[operation], x, y, result,
                     expected[operation]);
        }
    }
    print_hash(name, got);
}
