// Products by the matrix instructions of RDNA 3 and 4, of waves of 32 lanes: `m16n8` is half of their 16 x 16.
//
// The order of k and that of rows are free as long as all fragments keep to it. Row 2 e + h of a half of the rows is
// element e of half h of the wave in the result of both GPUs: RDNA 3 has it so, for RDNA 4 rows of `a` change places.

#include "matrix_factors.h"

typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef u32 u32x8 __attribute__((ext_vector_type(8)));
typedef i32 i32x2 __attribute__((ext_vector_type(2)));
typedef i32 i32x4 __attribute__((ext_vector_type(4)));
typedef i32 i32x8 __attribute__((ext_vector_type(8)));
typedef float f32x8 __attribute__((ext_vector_type(8)));
typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));
typedef _Float16 f16x16 __attribute__((ext_vector_type(16)));
typedef short i16x8 __attribute__((ext_vector_type(8)));
typedef short i16x16 __attribute__((ext_vector_type(16)));

#ifdef __AMDGCN__

f32x8 rdna3_f16(f16x16 a, f16x16 b, f32x8 c) NAMED("llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16");
f32x8 rdna3_bf16(i16x16 a, i16x16 b, f32x8 c) NAMED("llvm.amdgcn.wmma.f32.16x16x16.bf16.v8f32.v16i16");
i32x8 rdna3_iu8(_Bool a_signed, i32x4 a, _Bool b_signed, i32x4 b, i32x8 c, _Bool clamps)
    NAMED("llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v4i32");
f32x8 rdna4_f16(f16x8 a, f16x8 b, f32x8 c) NAMED("llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v8f16");
f32x8 rdna4_bf16(i16x8 a, i16x8 b, f32x8 c) NAMED("llvm.amdgcn.wmma.f32.16x16x16.bf16.v8f32.v8i16");
i32x8 rdna4_iu8(_Bool a_signed, i32x2 a, _Bool b_signed, i32x2 b, i32x8 c, _Bool clamps)
    NAMED("llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v2i32");

// Flags of the instruction have to be constants before anything is inlined.
#define BY_SIGNS(call, operation, a, b, c) \
  (a_type(operation) == S8 ? (b_type(operation) == S8 ? call(1, a, 1, b, c, 0) : call(1, a, 0, b, c, 0)) \
                           : (b_type(operation) == S8 ? call(0, a, 1, b, c, 0) : call(0, a, 0, b, c, 0)))

// Rows and columns, a thread each, as words of consecutive elements. Where k is 8, the other half stays zero.
static inline INLINE void gather(u64 operation, const u32 *in, u32 rdna4, u32 *a, u32 *b) {
  u32 lane = lane_of_warp(), half = lane / 16, row = lane % 16, column = lane % 8, first_b = words_of_a(operation);
  if (rdna4) row = row % 8 / 4 * 8 + row % 4 * 2 + row / 8;
  u32 count = stored_elements(operation) * element_bits(operation) / 32;
  if (rdna4) {
    // Of each four words a half of the wave has two.
    UNROLL for (u32 word = 0; word < count / 2; word++) {
      u32 holder = 2 * half + word % 2, index = word / 2;
      u32 low = word_of_lane(in, 2 * index, 4 * (row % 8) + holder);
      u32 high = word_of_lane(in, 2 * index + 1, 4 * (row % 8) + holder);
      a[word] = row >= 8 ? high : low;
      b[word] = word_of_lane(in, first_b + index, 4 * column + holder);
    }
    return;
  }
  UNROLL for (u32 word = 0; word < count; word++) {
    u32 low = word_of_lane(in, 2 * (word / 4), 4 * (row % 8) + word % 4);
    u32 high = word_of_lane(in, 2 * (word / 4) + 1, 4 * (row % 8) + word % 4);
    a[word] = row >= 8 ? high : low;
    b[word] = word_of_lane(in, first_b + word / 4, 4 * column + word % 4);
  }
}

// Elements of the result that the thread holds, from those of the instruction.
static inline INLINE void scatter(u32x8 result, u32 *to) {
  u32 lane = lane_of_warp(), group = lane / 4;
  UNROLL for (u32 element = 0; element < 4; element++) {
    u32 holder = group % 2 * 16 + lane % 4 * 2 + element % 2, found = 0;
    UNROLL for (u32 index = 0; index < 4; index++) {
      u32 value = zluda_amd_read_lane(result[4 * (element / 2) + index], holder);
      found = group / 2 == index ? value : found;
    }
    to[element] = found;
  }
}

static inline INLINE void multiply(u64 operation, u32 rdna4, const u32 *in, u32 *out) {
  u32 a[8] = {0}, b[8] = {0}, results[4];
  gather(operation, in, rdna4, a, b);
  u32 type = a_type(operation), is_float = type == F16 || type == BF16;
  u32 first_c = words_of_a(operation) + words_of_b(operation), c[4];
  u32x8 bits;
  if (is_float) {
    f32x8 sum = {0, 0, 0, 0, 0, 0, 0, 0};
    if (rdna4) {
      u32x4 x = {a[0], a[1], a[2], a[3]}, y = {b[0], b[1], b[2], b[3]};
      if (type == F16) sum = rdna4_f16(__builtin_bit_cast(f16x8, x), __builtin_bit_cast(f16x8, y), sum);
      else sum = rdna4_bf16(__builtin_bit_cast(i16x8, x), __builtin_bit_cast(i16x8, y), sum);
    } else {
      u32x8 x = {a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]}, y = {b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]};
      if (type == F16) sum = rdna3_f16(__builtin_bit_cast(f16x16, x), __builtin_bit_cast(f16x16, y), sum);
      else sum = rdna3_bf16(__builtin_bit_cast(i16x16, x), __builtin_bit_cast(i16x16, y), sum);
    }
    bits = __builtin_bit_cast(u32x8, sum);
  } else {
    i32x8 sum = {0, 0, 0, 0, 0, 0, 0, 0};
    u32 steps = k_of(operation) / 16;
    UNROLL for (u32 step = 0; step < steps; step++) {
      if (rdna4) {
        i32x2 x = {(i32)a[2 * step], (i32)a[2 * step + 1]}, y = {(i32)b[2 * step], (i32)b[2 * step + 1]};
        sum = BY_SIGNS(rdna4_iu8, operation, x, y, sum);
      } else {
        u32 *p = a + 4 * step, *q = b + 4 * step;
        i32x4 x = {(i32)p[0], (i32)p[1], (i32)p[2], (i32)p[3]}, y = {(i32)q[0], (i32)q[1], (i32)q[2], (i32)q[3]};
        sum = BY_SIGNS(rdna3_iu8, operation, x, y, sum);
      }
    }
    bits = __builtin_bit_cast(u32x8, sum);
  }
  scatter(bits, results);
  UNROLL for (u32 element = 0; element < 4; element++) {
    c[element] = own_word(in, first_c + element);
    if (is_float) {
      float sum = float_of(results[element]) + float_of(c[element]);
      out[element] = sum != sum ? NAN_F32 : bits_of(sum);
    } else {
      out[element] = integer_sum(operation, c[element], results[element]);
    }
  }
}

#define ENTRY(name, rdna4) \
  INLINE void zluda_amd_matrix_##name(u64 operation, void *in, void *out) { multiply(operation, rdna4, in, out); }

ENTRY(rdna3, 0)
ENTRY(rdna4, 1)

#endif
