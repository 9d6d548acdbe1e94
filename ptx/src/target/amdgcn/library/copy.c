// Copies, fills and reductions of blocks of bytes. All are finished when the instruction is, so that nothing waits for
// them.

#include "reduction.h"

typedef u32 vector __attribute__((ext_vector_type(4)));

u64 mbarrier_complete_tx(u64 at, u64 bytes) NAMED("zluda.lane.mbarrier.complete_tx");

u64 zluda_copy(u64 to, u64 from, u64 bytes) {
  if (((to | from | bytes) & 15) == 0) {
    for (u64 at = 0; at < bytes; at += 16) *(vector *)(to + at) = *(const vector *)(from + at);
  } else if (((to | from | bytes) & 3) == 0) {
    for (u64 at = 0; at < bytes; at += 4) *(u32 *)(to + at) = *(const u32 *)(from + at);
  } else {
    for (u64 at = 0; at < bytes; at++) *(u8 *)(to + at) = *(const u8 *)(from + at);
  }
  return 0;
}

u64 zluda_copy_multicast(u64 to, u64 from, u64 bytes, u64 barrier, u64 mask) NAMED("zluda.lane.copy.multicast");
u64 zluda_copy_multicast(u64 to, u64 from, u64 bytes, u64 barrier, u64 mask) {
  for (u32 rank = 0; rank < cluster_blocks_here(); rank++) {
    if ((mask >> rank & 1) == 0) continue;
    zluda_copy(cluster_place_in(to, rank), from, bytes);
    mbarrier_complete_tx(cluster_place_in(barrier, rank), bytes);
  }
  return 0;
}

u64 zluda_copy_masked(u64 to, u64 from, u64 bytes, u64 mask) NAMED("zluda.lane.copy.masked");
u64 zluda_copy_masked(u64 to, u64 from, u64 bytes, u64 mask) {
  for (u64 at = 0; at < bytes; at++) {
    if (mask >> at % 16 & 1) *(u8 *)(to + at) = *(const u8 *)(from + at);
  }
  return 0;
}

u64 zluda_fill(u64 at, u64 bytes, u64 value) NAMED("zluda.lane.fill");
u64 zluda_fill(u64 at, u64 bytes, u64 value) {
  u64 place = 0;
  u32 word = (u32)(value & 0xff) * 0x01010101;
  if (((at | bytes) & 3) == 0) {
    for (; place < bytes; place += 4) *(u32 *)(at + place) = word;
  }
  for (; place < bytes; place++) *(u8 *)(at + place) = (u8)value;
  return 0;
}

// ---- reductions

static inline float float_of(u32 bits) { return __builtin_bit_cast(float, bits); }
static inline u32 bits_of(float value) { return __builtin_bit_cast(u32, value); }
static inline double double_of(u64 bits) { return __builtin_bit_cast(double, bits); }

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

u64 zluda_reduce(u64 to, u64 from, u64 bytes, u64 number) {
  u32 operation = (u32)number;
  if (operation > ADD_F64) return 0;
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
    } else {
      // One half of a word.
      u32 b = *(const u16 *)(from + index), shift = (to + index) % 4 * 8, mask = 0xffffu << shift;
      CHANGE(u32, (to + index) & ~3ul, (before & ~mask) | word16(operation, before >> shift & 0xffff, b) << shift);
    }
  }
  return 0;
}
