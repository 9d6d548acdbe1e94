// Numbers of matrices: formats, and the sums of their products as an H100 makes them. docs/dev/matrix.md has the rules.

#pragma once

#include "matrix_operation.h"

// A format narrower than f32, or f32 itself. `ignored` are bits of a code that do not count.
typedef struct {
  u32 exponent_bits, fraction_bits, ignored;
  // What the largest exponent means.
  enum { INFINITIES, ONE_NAN, NUMBERS } top;
} format;

static const u32 NAN_F32 = 0x7fffffff;
static const u32 NAN_F16 = 0x7fff;

static inline INLINE format format_of(u32 type) {
  switch (type) {
  case F16: return (format){5, 10, 0, INFINITIES};
  case BF16: return (format){8, 7, 0, INFINITIES};
  case TF32: return (format){8, 23, 0x1fff, INFINITIES};
  case E4M3: return (format){4, 3, 0, ONE_NAN};
  case E5M2: return (format){5, 2, 0, INFINITIES};
  case E3M2: return (format){3, 2, 0, NUMBERS};
  case E2M3: return (format){2, 3, 0, NUMBERS};
  case E2M1: return (format){2, 1, 0, NUMBERS};
  default: return (format){8, 23, 0, INFINITIES};
  }
}

static inline INLINE int is_float(u32 type) { return type == F16 || type == BF16 || type == TF32 || (type >= E4M3 && type <= E2M1); }

// `significand * 2^(exponent - fraction_bits)`; the exponent is that of the code, not of the first one bit. Zeros have
// an exponent below all others; infinities and NaNs, whose significand is what they are, one above all others.
typedef struct {
  float significand;
  i32 exponent;
} number;

#define OF_ZERO (-(1 << 16))
#define OF_SPECIAL (1 << 20)

static inline INLINE number number_of(format f, u32 code) {
  code &= ~f.ignored;
  u32 fraction = code & ((1u << f.fraction_bits) - 1);
  u32 last = (1u << f.exponent_bits) - 1;
  u32 field = code >> f.fraction_bits & last;
  u32 sign = code >> (f.fraction_bits + f.exponent_bits) << 31;
  i32 bias = (1 << (f.exponent_bits - 1)) - 1;
  u32 whole = field ? fraction | 1u << f.fraction_bits : fraction;
  number n;
  n.significand = float_of(bits_of((float)(i32)whole) | sign);
  n.exponent = (field ? (i32)field : 1) - bias;
  n.exponent = whole ? n.exponent : OF_ZERO;
  if (f.top == INFINITIES && field == last) {
    n.significand = float_of((fraction ? NAN_F32 : 0x7f800000) | sign);
    n.exponent = OF_SPECIAL;
  } else if (f.top == ONE_NAN && field == last && fraction == (1u << f.fraction_bits) - 1) {
    n.significand = float_of(NAN_F32);
    n.exponent = OF_SPECIAL;
  }
  return n;
}

static inline INLINE u64 shifted(u64 magnitude, i32 right) {
  if (right >= 64) return 0;
  return right >= 0 ? magnitude >> right : magnitude << (-right & 63);
}

// `magnitude * 2^exponent` with its sign, cut to f32 towards zero; what is too large becomes infinite.
static inline INLINE u32 cut_to_f32(u32 negative, u64 magnitude, i32 exponent) {
  if (magnitude == 0) return 0;
  u32 sign = negative << 31;
  i32 top = 63 - __builtin_clzl(magnitude) + exponent;
  if (top > 127) return sign | 0x7f800000;
  i32 shift = (top - 23 > -149 ? top - 23 : -149) - exponent;
  u32 kept = (u32)shifted(magnitude, shift);
  return top < -126 ? sign | kept : sign | (u32)(top + 127) << 23 | (kept & 0x7fffff);
}

// The same, rounded to the nearest f16, ties to even.
static inline INLINE u32 round_to_f16(u32 negative, u64 magnitude, i32 exponent) {
  if (magnitude == 0) return 0;
  u32 sign = negative << 15;
  i32 top = 63 - __builtin_clzl(magnitude) + exponent;
  if (top > 15) return sign | 0x7c00;
  i32 lowest = top - 10 > -24 ? top - 10 : -24;
  i32 shift = lowest - exponent;
  u32 kept = (u32)shifted(magnitude, shift);
  if (shift > 0) {
    u64 rest = shift > 63 ? magnitude : magnitude & ((1ul << shift) - 1);
    u64 half = shift > 63 ? ~0ul : 1ul << (shift - 1);
    if (rest > half || (rest == half && (kept & 1))) kept += 1;
  }
  // A carry runs into the exponent, as it should; subnormals have no bit above the fraction.
  u32 result = kept + ((u32)(lowest + 24) << 10);
  return sign | (result < 0x7c00 ? result : 0x7c00);
}

// The f32 code of an f16 code.
static inline INLINE u32 widened(u32 code) {
  u32 sign = (code & 0x8000) << 16, rest = code & 0x7fff;
  if (rest > 0x7c00) return NAN_F32;
  if (rest == 0x7c00) return sign | 0x7f800000;
  if (rest < 0x400) return sign | bits_of((float)(i32)rest * 0x1p-24f);
  return sign | ((rest << 13) + (112u << 23));
}

// The nearest f16 to an f32 code.
static inline INLINE u32 narrowed(u32 code) {
  u32 negative = code >> 31, rest = code & 0x7fffffff;
  if (rest > 0x7f800000) return NAN_F16;
  if (rest == 0x7f800000) return 0x7c00 | negative << 15;
  u32 field = rest >> 23;
  u32 significand = (rest & 0x7fffff) | (field ? 0x800000 : 0);
  if (significand == 0) return negative << 15;
  return round_to_f16(negative, significand, (i32)(field ? field : 1) - 150);
}

// How sums are made.
typedef struct {
  // Bits below the largest exponent that count.
  i32 width;
  // Bits of the significand of an f32 result, the leading one included.
  u32 kept;
  // The result is f16, rounded; else f32, cut.
  int is_f16;
} rules;

// Towards zero. What comes here is less than 2^28, or not used.
static inline INLINE u32 cut(float significand, i32 exponent) {
  return (u32)(i32)__builtin_ldexpf(significand, exponent);
}

// The sum of `c` and the products of `count` pairs of factors, whose significands have `points` fractional bits
// together.
static inline INLINE u32 sum_of(rules r, u32 count, const number *a, const number *b, i32 points, u32 c) {
  number before = number_of(format_of(r.is_f16 ? F16 : F32), c);
  i32 largest = before.exponent;
  UNROLL for (u32 i = 0; i < count; i++) {
    i32 exponent = a[i].exponent + b[i].exponent;
    largest = exponent > largest ? exponent : largest;
  }
  i32 unit = largest - r.width;
  if (__builtin_expect(largest >= OF_SPECIAL / 2, 0)) {
    // Significands are what they have to be, so that their sum is infinite or no number as that of the numbers is.
    float sum = before.significand;
    UNROLL for (u32 i = 0; i < count; i++) sum += a[i].significand * b[i].significand;
    u32 bits = bits_of(sum);
    if (sum != sum) return r.is_f16 ? NAN_F16 : NAN_F32;
    return r.is_f16 ? 0x7c00 | (bits >> 31) << 15 : bits;
  }
  // Two sums, since the whole one may need more than 32 bits.
  u32 first = cut(before.significand, before.exponent - (r.is_f16 ? 10 : 23) - unit), second = 0;
  UNROLL for (u32 i = 0; i < count; i++) {
    i32 exponent = a[i].exponent + b[i].exponent - points - unit;
    u32 term = cut(a[i].significand * b[i].significand, exponent);
    if (i % 2) second += term; else first += term;
  }
  i64 total = (i64)(i32)first + (i32)second;
  u32 negative = total < 0;
  u64 magnitude = negative ? -(u64)total : (u64)total;
  if (r.is_f16) return round_to_f16(negative, magnitude, unit);
  if (r.kept < 24) {
    i32 length = 64 - __builtin_clzl(magnitude | 1);
    i32 dropped = length - (i32)r.kept;
    if (dropped > 0) magnitude = magnitude >> dropped << dropped;
  }
  return cut_to_f32(negative, magnitude, unit);
}

// Additions outside of the tensor cores.
static inline INLINE u32 add_f32(u32 a, u32 b) {
  float sum = float_of(a) + float_of(b);
  return sum != sum ? NAN_F32 : bits_of(sum);
}
