// Fused multiplication and addition of f64 in all rounding modes. `FMA_ROUNDS_TWICE` says that `__builtin_fma` is not to be
// relied on, as where it becomes a call of mingw's C library.

#pragma once

#include "device.h"

enum matrix_rounding { NEAREST, ZERO, DOWN, UP };

typedef unsigned __int128 u128;

static const u64 NAN_F64 = 0xfff8000000000000;
static const u64 QUIET_F64 = 1ul << 51;

typedef struct {
  u32 negative;
  u128 magnitude;
  i32 exponent;
} exact;

static inline i32 leading_zeros(u128 value) {
  u64 high = (u64)(value >> 64);
  if (high) return __builtin_clzl(high);
  return 64 + ((u64)value ? __builtin_clzl((u64)value) : 64);
}

static inline exact exact_of(u64 bits) {
  i32 field = (i32)(bits >> 52 & 0x7ff);
  u64 fraction = bits & ((1ul << 52) - 1);
  return (exact){(u32)(bits >> 63), fraction | (u64)(field != 0) << 52, (field ? field : 1) - 1075};
}

// With its first one in bit 125, so that a carry fits and the lost bits of the smaller one of two matter for
// rounding alone.
static inline exact lifted(exact x) {
  i32 shift = leading_zeros(x.magnitude) - 2;
  if (shift >= 0 && x.magnitude) {
    x.magnitude <<= shift;
    x.exponent -= shift;
  }
  return x;
}

static inline int is_below(exact x, exact y) {
  if (x.magnitude == 0) return 1;
  if (y.magnitude == 0) return 0;
  return x.exponent != y.exponent ? x.exponent < y.exponent : x.magnitude < y.magnitude;
}

static inline u64 rounded(exact x, u32 rounding) {
  u64 sign = (u64)x.negative << 63;
  i32 top = 127 - leading_zeros(x.magnitude) + x.exponent;
  int away = rounding == UP ? !x.negative : rounding == DOWN && x.negative;
  if (top > 1023) return sign | (away || rounding == NEAREST ? 0x7ff0000000000000 : 0x7fefffffffffffff);
  i32 lowest = top - 52 > -1074 ? top - 52 : -1074;
  i32 shift = lowest - x.exponent;
  u64 kept;
  // What is lost, in halves of the last bit that is kept: none, less than one, one, more.
  enum { NONE, LESS, HALF, MORE } lost = NONE;
  if (shift <= 0) {
    kept = (u64)(x.magnitude << -shift);
  } else if (shift <= 127) {
    kept = (u64)(x.magnitude >> shift);
    u128 half = (u128)1 << (shift - 1), rest = x.magnitude & (half + (half - 1));
    lost = rest == 0 ? NONE : rest < half ? LESS : rest == half ? HALF : MORE;
  } else {
    kept = 0;
    lost = LESS;
  }
  if (rounding == NEAREST) kept += lost == MORE || (lost == HALF && (kept & 1));
  else kept += lost != NONE && away;
  // A carry runs into the exponent, up to infinity.
  return sign | (kept + ((u64)(lowest + 1074) << 52));
}

// Of finite operands, by integers.
static OUTLINE u64 fused_exactly(u64 a, u64 b, u64 c, u32 rounding) {
  exact x = exact_of(a), y = exact_of(b), two = exact_of(c);
  exact one = {x.negative ^ y.negative, (u128)(u64)x.magnitude * (u64)y.magnitude, x.exponent + y.exponent};
  if (one.magnitude == 0 && two.magnitude == 0) {
    u32 negative = one.negative == two.negative ? two.negative : rounding == DOWN;
    return (u64)negative << 63;
  }
  one = lifted(one);
  two = lifted(two);
  exact large = is_below(one, two) ? two : one, small = is_below(one, two) ? one : two;
  i32 distance = large.exponent - small.exponent;
  u128 aligned;
  if (small.magnitude == 0) aligned = 0;
  else if (distance == 0) aligned = small.magnitude;
  else if (distance <= 126) aligned = small.magnitude >> distance | ((small.magnitude & (((u128)1 << distance) - 1)) != 0);
  else aligned = 1;
  u128 total = large.negative == small.negative ? large.magnitude + aligned : large.magnitude - aligned;
  if (total == 0) return (u64)(rounding == DOWN) << 63;
  return rounded((exact){large.negative, total, large.exponent}, rounding);
}

static inline INLINE int is_nan_f64(u64 bits) { return (bits & ~(1ul << 63)) > 0x7ff0000000000000; }
static inline INLINE int is_finite_f64(u64 bits) { return (bits >> 52 & 0x7ff) != 0x7ff; }

// `a * b + c`, rounded once. The first of several NaNs goes through.
static inline INLINE u64 fused(u64 a, u64 b, u64 c, u32 rounding) {
  int is_finite_product = is_finite_f64(a) && is_finite_f64(b), is_finite = is_finite_product && is_finite_f64(c);
#ifdef FMA_ROUNDS_TWICE
  if (is_finite) return fused_exactly(a, b, c, rounding);
  // There is nothing to round any more. A product that is too large here is not infinite there.
  double sum = is_finite_product ? double_of(c) : double_of(a) * double_of(b) + double_of(c);
#else
  double sum = __builtin_fma(double_of(a), double_of(b), double_of(c));
#endif
  u64 nearest = bits_of_double(sum);
  if (is_nan_f64(nearest)) {
    u64 nan = is_nan_f64(a) ? a : is_nan_f64(b) ? b : is_nan_f64(c) ? c : NAN_F64;
    return nan | QUIET_F64;
  }
  if (rounding == NEAREST || !is_finite) return nearest;
  return fused_exactly(a, b, c, rounding);
}
