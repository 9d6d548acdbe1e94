// Reductions of blocks of bytes, finished when the instruction is.

#include "reduction.h"

static inline u64 word64(u32 operation, u64 a, u64 b) {
  switch (operation) {
  case AND64: return a & b;
  case OR64: return a | b;
  case XOR64: return a ^ b;
  case ADD_U64: return a + b;
  case MIN_U64: return a < b ? a : b;
  case MAX_U64: return a > b ? a : b;
  case MIN_S64: return (i64)a < (i64)b ? a : b;
  case MAX_S64: return (i64)a > (i64)b ? a : b;
  default: {
    // The GPU hands NaNs on as they are.
    double x = double_of(a), y = double_of(b);
    return y != y ? b : x != x ? a : __builtin_bit_cast(u64, x + y);
  }
  }
}

// Zero of its sign where the number is denormal.
static inline u32 flushed(u32 bits) { return bits & 0x7f800000 ? bits : bits & 0x80000000; }

static inline u32 word32(u32 operation, u32 a, u32 b) {
  switch (operation) {
  case AND32: return a & b;
  case OR32: return a | b;
  case XOR32: return a ^ b;
  case ADD_U32: return a + b;
  case INC_U32: return a >= b ? 0 : a + 1;
  case DEC_U32: return a == 0 || a > b ? b : a - 1;
  case MIN_U32: return a < b ? a : b;
  case MAX_U32: return a > b ? a : b;
  case MIN_S32: return (i32)a < (i32)b ? a : b;
  case MAX_S32: return (i32)a > (i32)b ? a : b;
  case ADD_F32: {
    // The GPU makes one NaN of all.
    float sum = float_of(a) + float_of(b);
    return sum != sum ? 0x7fffffff : bits_of(sum);
  }
  default: return flushed(bits_of(float_of(flushed(a)) + float_of(flushed(b))));
  }
}

static inline float widened16(u32 bits, int half) {
  if (!half) return float_of(bits << 16);
  u32 sign = (bits & 0x8000) << 16, rest = bits & 0x7fff;
  float magnitude = rest >> 10 == 31  ? float_of(rest << 13 | 0x7f800000)
                    : rest >> 10 == 0 ? (float)(i32)rest * 0x1p-24f
                                      : float_of((rest << 13) + (112u << 23));
  return float_of(bits_of(magnitude) | sign);
}

static inline u32 narrowed16(float value, int half) {
  u32 bits = bits_of(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (value != value) return 0x7fff;
  // Ties go to even.
  if (!half) return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  if (magnitude < 113u << 23) {
    // What is added brings the last bit that is kept to where f32 rounds.
    return sign | ((bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f)) & 0xffff);
  }
  u32 rounded = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  return sign | (rounded < 0x7c00 ? rounded : 0x7c00);
}

static inline u32 word16(u32 operation, u32 a, u32 b) {
  int half = operation == ADD_F16 || operation == MIN_F16 || operation == MAX_F16;
  float x = widened16(a, half), y = widened16(b, half);
  switch (operation) {
  // One rounding more than the sum has in f32 is none: that has twice the digits and two more.
  case ADD_F16: case ADD_BF16: return narrowed16(x + y, half);
  default:
    if (x != x && y != y) return 0x7fff;
    if (y != y) return a;
    if (x != x) return b;
    if (operation == MIN_F16 || operation == MIN_BF16) return y < x || (y == x && (b & 0x8000)) ? b : a;
    return y > x || (y == x && !(b & 0x8000)) ? b : a;
  }
}

#define CHANGE(type, place, result) \
  type *at = (type *)(place), before = __scoped_atomic_load_n(at, __ATOMIC_RELAXED, DEVICE_SCOPE), after; \
  do after = (result); \
  while (!__scoped_atomic_compare_exchange_n(at, &before, after, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED, DEVICE_SCOPE))

static inline INLINE void reduce_elements(u64 to, u64 from, u64 bytes, u32 operation) {
  const u32 wide = 1u << AND64 | 1u << OR64 | 1u << XOR64 | 1u << ADD_U64 | 1u << MIN_U64 | 1u << MIN_S64 | 1u << MAX_U64 |
                   1u << MAX_S64 | 1u << ADD_F64;
  u32 size = wide >> operation & 1 ? 8 : operation >= ADD_F16 && operation <= MAX_BF16 ? 2 : 4;
  for (u64 index = 0; index + size <= bytes; index += size) {
    if (size == 8) {
      u64 b = *(const u64 *)(from + index);
      CHANGE(u64, to + index, word64(operation, before, b));
    } else if (size == 4) {
      u32 b = *(const u32 *)(from + index);
      CHANGE(u32, to + index, word32(operation, before, b));
    } else if (ON_CPU) {
      u32 b = *(const u16 *)(from + index);
      CHANGE(u16, to + index, (u16)word16(operation, before, b));
    } else {
      // One half of a word.
      u32 b = *(const u16 *)(from + index), shift = (to + index) % 4 * 8, mask = 0xffffu << shift;
      CHANGE(u32, (to + index) & ~3ul, (before & ~mask) | word16(operation, before >> shift & 0xffff, b) << shift);
    }
  }
}

u64 zluda_lane_reduce(u64 to, u64 from, u64 bytes, u64 number) {
  u32 operation = (u32)number;
#if ON_CPU
  // A loop for each operation.
#define CASE(operation) case operation: reduce_elements(to, from, bytes, operation); break;
  switch (operation) {
    CASE(AND32) CASE(AND64) CASE(OR32) CASE(OR64) CASE(XOR32) CASE(XOR64) CASE(ADD_U32) CASE(ADD_U64) CASE(INC_U32)
    CASE(DEC_U32) CASE(MIN_U32) CASE(MIN_S32) CASE(MIN_U64) CASE(MIN_S64) CASE(MAX_U32) CASE(MAX_S32) CASE(MAX_U64)
    CASE(MAX_S64) CASE(ADD_F16) CASE(MIN_F16) CASE(MAX_F16) CASE(ADD_BF16) CASE(MIN_BF16) CASE(MAX_BF16) CASE(ADD_F32)
    CASE(ADD_FTZ_F32) CASE(ADD_F64)
  default: break;
  }
#else
  if (operation <= ADD_F64) reduce_elements(to, from, bytes, operation);
#endif
  return 0;
}
