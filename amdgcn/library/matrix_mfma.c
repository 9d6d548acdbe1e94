// Products by the matrix instructions of CDNA, whose waves are two warps. Where all 64 lanes are there, both do the same
// operation: `m16n8` of the first one is the left half of a 16 x 16, that of the second one the right half. Otherwise
// each computes its own.
//
// Rows may change places: row `4 e + q` is element e of the lanes of quarter q of the wave in the result.

#include "matrix_factors.h"

#ifdef __AMDGCN__

typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef i32 i32x4 __attribute__((ext_vector_type(4)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef short i16x4 __attribute__((ext_vector_type(4)));

f32x4 mfma_f16(f16x4 a, f16x4 b, f32x4 c, i32, i32, i32) NAMED("llvm.amdgcn.mfma.f32.16x16x16f16");
f32x4 mfma_bf16(i16x4 a, i16x4 b, f32x4 c, i32, i32, i32) NAMED("llvm.amdgcn.mfma.f32.16x16x16bf16.1k");
// 16 elements along k, and 32.
i32x4 mfma_i8(i32 a, i32 b, i32x4 c, i32, i32, i32) NAMED("llvm.amdgcn.mfma.i32.16x16x16i8");
i32x4 mfma_i8_long(i64 a, i64 b, i32x4 c, i32, i32, i32) NAMED("llvm.amdgcn.mfma.i32.16x16x32.i8");

u64 zluda_active_lanes(_Bool) NAMED("llvm.amdgcn.ballot.i64");
u32 zluda_permute(u32 byte, u32 value) NAMED("llvm.amdgcn.ds.bpermute");

// The value of a lane of the wave.
static inline INLINE u32 of_wave(u32 value, u32 lane) { return zluda_permute(4 * lane, value); }

// A product of 16 x 16, added to `sum`. Each lane has two words of a row of `a` and of a column of `b`.
static inline INLINE u32x4 product(u64 operation, int is_long, u32x2 a, u32x2 b, u32x4 sum) {
  switch (a_type(operation)) {
  case F16: {
    f32x4 c = __builtin_bit_cast(f32x4, sum);
    c = mfma_f16(__builtin_bit_cast(f16x4, a), __builtin_bit_cast(f16x4, b), c, 0, 0, 0);
    return __builtin_bit_cast(u32x4, c);
  }
  case BF16: {
    f32x4 c = __builtin_bit_cast(f32x4, sum);
    c = mfma_bf16(__builtin_bit_cast(i16x4, a), __builtin_bit_cast(i16x4, b), c, 0, 0, 0);
    return __builtin_bit_cast(u32x4, c);
  }
  default: {
    i32x4 c = __builtin_bit_cast(i32x4, sum);
    if (is_long) {
      c = mfma_i8_long(__builtin_bit_cast(i64, a), __builtin_bit_cast(i64, b), c, 0, 0, 0);
    } else {
      c = mfma_i8((i32)a[0], (i32)b[0], c, 0, 0, 0);
      if (k_of(operation) == 32) c = mfma_i8((i32)a[1], (i32)b[1], c, 0, 0, 0);
    }
    return __builtin_bit_cast(u32x4, c);
  }
  }
}

static inline INLINE void multiply_both(u64 operation, int is_long, const u32 *in, u32 *out) {
  u32 lane = zluda_amd_first_lane() + lane_of_warp(), place = lane % 16, quarter = lane / 16, half = lane / 32;
  u32 row = place % 4 * 4 + place / 4, column = place % 8, right = place / 8;
  u32 first_b = words_of_a(operation), first_c = first_b + words_of_b(operation);
  u32 count = stored_elements(operation) * element_bits(operation) / 32;
  u32x4 sum = {0, 0, 0, 0};
  u32x2 b = {0, 0};
  UNROLL for (u32 word = 0; word < count / 4; word++) {
    b[word] = of_wave(in[first_b + word], 32 * right + 4 * column + quarter);
  }
  UNROLL for (u32 warp = 0; warp < 2; warp++) {
    u32x2 a = {0, 0}, own = {0, 0};
    UNROLL for (u32 word = 0; word < count / 4; word++) {
      u32 from = 32 * warp + 4 * (row % 8) + quarter;
      u32 low = of_wave(in[2 * word], from), high = of_wave(in[2 * word + 1], from);
      a[word] = row >= 8 ? high : low;
      own[word] = right == warp ? b[word] : 0;
    }
    sum = product(operation, is_long, a, own, sum);
  }
  u32 group = lane % 32 / 4;
  UNROLL for (u32 element = 0; element < 4; element++) {
    u32 from = group % 4 * 16 + 8 * half + lane % 4 * 2 + element % 2;
    u32 low = of_wave(sum[2 * (element / 2)], from), high = of_wave(sum[2 * (element / 2) + 1], from);
    u32 value = group >= 4 ? high : low, c = in[first_c + element];
    out[element] = is_float(a_type(operation)) ? add_f32(value, c) : integer_sum(operation, c, value);
  }
}

static inline INLINE void multiply_by_instruction(u64 operation, int is_long, const u32 *in, u32 *out) {
  if (zluda_active_lanes(1) == ~0ul) multiply_both(operation, is_long, in, out);
  else zluda_amd_matrix_multiply(operation, (u32 *)in, out);
}

#define ENTRY(name, is_long) \
  INLINE void zluda_amd_matrix_##name(u64 operation, void *in, void *out) { multiply_by_instruction(operation, is_long, in, out); }

ENTRY(cdna2, 0)
ENTRY(cdna3, 1)

#endif
