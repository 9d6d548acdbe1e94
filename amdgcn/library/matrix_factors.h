// Rows of `a`, columns of `b`, and one element of a product of them.

#pragma once

#include "matrix_number.h"

#define MOST_WORDS 16

// What a thread needs of a tile: rows `g` and `g + 8` of `a` of its group `g`, as words of consecutive elements, and a
// column of `b`.
typedef struct {
  u32 a[2][MOST_WORDS];
  u32 b[2 * MOST_WORDS];
  // The thread's own words of metadata and what follows.
  const u32 *words;
  u32 more;
} factors;

static inline INLINE u32 code_at(const u32 *words, u32 index, u32 bits) {
  u32 at = index * bits;
  u32 word = words[at / 32];
  return bits == 32 ? word : word >> (at % 32) & ((1u << bits) - 1);
}

// Elements of a group of a sparse row.
static inline INLINE u32 group_of(u64 operation) {
  switch (a_type(operation)) {
  case TF32: return 2;
  case S4: case U4: return 8;
  default: return is_packed(operation) ? 8 : 4;
  }
}

// Four bits of metadata for a group of elements of row `g + 8 * half`. The selector names the lanes of each four that
// give them.
static inline INLINE u32 metadata(u64 operation, const factors *f, u32 half, u32 group) {
  u32 row_bits = elements_of_b(operation) / group_of(operation) * 4;
  int narrow = is_packed(operation) || bits_of_type(a_type(operation)) <= 8;
  u32 quad = lane_of_warp() & ~3u, selector = 0, lane, bit;
  if (row_bits <= 32) selector = word_of_lane(f->words, f->more + 1, 0);
  if (row_bits <= 16) {
    lane = selector;
    bit = 16 * half + 4 * group;
  } else if (row_bits == 32 && !narrow) {
    lane = 2 * selector + group / 4;
    bit = 16 * half + 4 * (group % 4);
  } else if (row_bits == 32) {
    lane = 2 * selector + half;
    bit = 4 * group;
  } else {
    lane = half + 2 * (group / 8);
    bit = 4 * (group % 8);
  }
  return word_of_lane(f->words, f->more, quad + lane % 4) >> (bit % 32) & 15;
}

// Where in its group of `b` the element lies that stored element `within` of a group meets.
static inline INLINE u32 offset_of(u32 group, u32 code, u32 within) {
  switch (group) {
  case 2: return (code & 3) / 2;
  case 8: return (code >> within / 2 * 2 & 3) * 2 + within % 2;
  default: return code >> 2 * within & 3;
  }
}

// The code of `b` that stored element `index` of row `g + 8 * half` meets; `*k` is where it lies in its column.
static inline INLINE u32 met_code(u64 operation, const factors *f, u32 half, u32 index, u32 *k) {
  u32 bits = element_bits(operation);
  if (!is_sparse(operation)) {
    *k = index;
    return code_at(f->b, index, bits);
  }
  u32 group_size = group_of(operation), stored = group_size / 2;
  u32 group = index / stored;
  u32 offset = offset_of(group_size, metadata(operation, f, half, group), index % stored);
  *k = group * group_size + offset;
  u32 first = group * group_size * bits / 32, at = offset * bits;
  u32 word = f->b[first];
  if (group_size * bits == 64) word = at >= 32 ? f->b[first + 1] : word;
  return bits == 32 ? word : word >> (at & 31) & ((1u << bits) - 1);
}

static inline INLINE u32 float_product(u64 operation, const factors *f, u32 half, u32 c) {
  u32 a = a_type(operation), b = b_type(operation), bits = element_bits(operation);
  u32 count = stored_elements(operation);
  format format_a = format_of(a), format_b = format_of(b);
  i32 points = (i32)(format_a.fraction_bits + format_b.fraction_bits);
  int bytes = (a == E4M3 || a == E5M2) && (b == E4M3 || b == E5M2);
  int group = bytes && kind_of(operation) == WARP_GROUP;
  // Where the accumulators differ in type, f32 is what is summed.
  rules r = {group ? 13 : 25, group ? 14 : 24, c_type(operation) == F16 && d_type(operation) == F16};
  if (c_type(operation) == F16 && d_type(operation) != F16) c = widened(c);
  // Only `wgmma` has tensor cores for bytes: for `mma` they become f16, two words for one, and the accumulator is
  // added at the end.
  int halves = bytes && !group;
  number row[64], column[64];
  UNROLL for (u32 place = 0; place < count; place++) {
    u32 within = place % (count / 2);
    u32 index = halves ? within / 2 * 4 + 2 * (place / (count / 2)) + within % 2 : place, k;
    row[place] = number_of(format_a, code_at(f->a[half], index, bits));
    column[place] = number_of(format_b, met_code(operation, f, half, index, &k));
  }
  u32 sum;
  if (halves) {
    sum = sum_of(r, count / 2, row, column, points, 0);
    sum = sum_of(r, count / 2, row + count / 2, column + count / 2, points, sum);
    // f32 has twice the digits of f16 and two more, so that nothing is rounded twice.
    sum = r.is_f16 ? narrowed(add_f32(widened(sum), widened(c))) : add_f32(sum, c);
  } else {
    sum = sum_of(r, count, row, column, points, c);
  }
  return c_type(operation) != F16 && d_type(operation) == F16 ? narrowed(sum) : sum;
}

static inline INLINE i32 integer_of(u32 type, u32 code) {
  switch (type) {
  case S8: return (i32)(code << 24) >> 24;
  case S4: return (i32)(code << 28) >> 28;
  default: return (i32)code;
  }
}

// An accumulator and a sum of products, which fits 32 bits by far.
static inline INLINE u32 integer_sum(u64 operation, u32 c, u32 sum) {
  if (!saturates(operation)) return c + sum;
  i64 whole = (i64)(i32)c + (i32)sum;
  return whole > 0x7fffffff ? 0x7fffffff : whole < -0x80000000l ? 0x80000000u : (u32)whole;
}

static inline INLINE u32 integer_product(u64 operation, const factors *f, u32 half, u32 c) {
  u32 bits = element_bits(operation), sum = 0, k;
  UNROLL for (u32 index = 0; index < stored_elements(operation); index++) {
    u32 x = code_at(f->a[half], index, bits), y = met_code(operation, f, half, index, &k);
    if (a_type(operation) == B1) {
      sum += (u32)__builtin_popcount(is_and(operation) ? x & y : x ^ y);
    } else {
      sum += (u32)(integer_of(a_type(operation), x) * integer_of(b_type(operation), y));
    }
  }
  return integer_sum(operation, c, sum);
}

// `2^exponent`, for exponents of normal numbers.
static inline INLINE double power_of_two(i32 exponent) { return double_of((u64)(exponent + 1023) << 52); }

static inline INLINE double double_of_code(format f, u32 code) {
  number n = number_of(f, code);
  if (n.exponent == OF_ZERO || n.exponent == OF_SPECIAL) return n.significand;
  return (double)n.significand * power_of_two(n.exponent - (i32)f.fraction_bits);
}

static inline INLINE double scale_of(u64 operation, u32 word, u32 first, u32 block) {
  u32 code = word >> (8 * (first + block) % 32) & 0xff;
  if (scale_is_ue4m3(operation)) return double_of_code(format_of(E4M3), code & 0x7f);
  return code == 0xff ? double_of(0x7ff8000000000000) : power_of_two((i32)code - 127);
}

// `column` is that of `b`.
static inline INLINE u32 scaled_product(u64 operation, const factors *f, u32 half, u32 column, u32 c) {
  u32 bits = element_bits(operation), count = stored_elements(operation), blocks = scale_factors(operation);
  u32 at = f->more + (is_sparse(operation) ? 2 : 0);
  format format_a = format_of(a_type(operation)), format_b = format_of(b_type(operation));
  u32 first_a = word_of_lane(f->words, at + 1, 0), thread_a = word_of_lane(f->words, at + 2, 0);
  u32 first_b = word_of_lane(f->words, at + 4, 0), thread_b = word_of_lane(f->words, at + 5, 0);
  u32 word_a = word_of_lane(f->words, at, (lane_of_warp() & ~3u) + 2 * (thread_a & 1) + half);
  u32 word_b = word_of_lane(f->words, at + 3, 4 * column + (thread_b & 3));
  double total = float_of(c);
  UNROLL for (u32 block = 0; block < blocks; block++) {
    double sum = -0.0;
    // Groups of a sparse row do not cross the ends of blocks.
    u32 first = count / blocks * block;
    UNROLL for (u32 index = first; index < first + count / blocks; index++) {
      u32 k;
      double y = double_of_code(format_b, met_code(operation, f, half, index, &k));
      sum += double_of_code(format_a, code_at(f->a[half], index, bits)) * y;
    }
    total += sum * scale_of(operation, word_a, first_a, block) * scale_of(operation, word_b, first_b, block);
  }
  return total != total ? NAN_F32 : bits_of((float)total);
}

// Element (`g + 8 * half`, `column`) of `a * b + c`.
static inline INLINE u32 product_of(u64 operation, const factors *f, u32 half, u32 column, u32 c) {
  if (scale_factors(operation)) return scaled_product(operation, f, half, column, c);
  if (is_float(a_type(operation))) return float_product(operation, f, half, c);
  return integer_product(operation, f, half, c);
}
