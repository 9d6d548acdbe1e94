// A matrix operation as one number: `simt_abi::MatrixOperation`. It is constant wherever it is used, so that of all that
// these files can do only the operation's own code stays.

#pragma once

#include "device.h"
#include "intrinsics_amd.h"

#ifndef UNROLL
#define UNROLL _Pragma("clang loop unroll(full)")
#define ROLLED _Pragma("clang loop unroll(disable)")
#endif

enum matrix_kind { MULTIPLY, WARP_GROUP, LOAD, STORE, TRANSPOSE };

enum matrix_type {
  F16, BF16, TF32, F32, F64, E4M3, E5M2, E3M2, E2M3, E2M1, S8, U8, S4, U4, S32, B1, B8, B16, B6X16_P32, B4X16_P64,
};

#define FIELD(name, at, width) \
  static inline INLINE u32 name(u64 operation) { return (u32)(operation >> at) & ((1u << width) - 1); }

FIELD(kind_of, 0, 3)
FIELD(m_of, 3, 7)
FIELD(n_of, 10, 9)
FIELD(k_of, 19, 9)
FIELD(a_type, 28, 5)
FIELD(b_type, 33, 5)
FIELD(c_type, 38, 5)
FIELD(d_type, 43, 5)
FIELD(a_columns, 48, 1)
FIELD(b_rows, 49, 1)
FIELD(saturates, 50, 1)
FIELD(is_and, 51, 1)
FIELD(is_sparse, 52, 1)
FIELD(is_packed, 53, 1)
FIELD(a_in_registers, 54, 1)
FIELD(negates_a, 55, 1)
FIELD(negates_b, 56, 1)
FIELD(rounding_of, 57, 2)
FIELD(scale_factors, 59, 3)
FIELD(scale_is_ue4m3, 62, 1)

// Bits of an element in a register.
static inline INLINE u32 bits_of_type(u32 type) {
  switch (type) {
  case F64: return 64;
  case TF32: case F32: case S32: return 32;
  case F16: case BF16: case B16: return 16;
  case S4: case U4: return 4;
  case B1: return 1;
  default: return 8;
  }
}

// Bits of an element of `a` or `b` in its register; single bits are taken 32 at a time.
static inline INLINE u32 element_bits(u64 operation) {
  if (a_type(operation) == B1) return 32;
  return is_packed(operation) ? 4 : bits_of_type(a_type(operation));
}

// Elements of a row of `a` that are there.
static inline INLINE u32 stored_elements(u64 operation) {
  u32 k = k_of(operation);
  if (kind_of(operation) == WARP_GROUP) return 256 / element_bits(operation);
  if (a_type(operation) == B1) k /= 32;
  return is_sparse(operation) ? k / 2 : k;
}

static inline INLINE u32 elements_of_b(u64 operation) {
  return is_sparse(operation) ? 2 * stored_elements(operation) : stored_elements(operation);
}

static inline INLINE int is_quad_pairs(u64 operation) {
  return kind_of(operation) == MULTIPLY && m_of(operation) == 8 && n_of(operation) == 8 && k_of(operation) == 4 &&
         a_type(operation) == F16;
}

// 32-bit words of a fragment in a thread.
static inline INLINE u32 words_for(u32 elements, u32 bits) { return (elements * bits + 1023) / 1024; }

static inline INLINE u32 words_of_a(u64 operation) {
  if (kind_of(operation) == WARP_GROUP) return a_in_registers(operation) ? 4 : 2;
  if (is_quad_pairs(operation)) return 2;
  u32 k = is_sparse(operation) ? k_of(operation) / 2 : k_of(operation);
  return words_for(m_of(operation) * k, is_packed(operation) ? 4 : bits_of_type(a_type(operation)));
}

static inline INLINE u32 words_of_b(u64 operation) {
  if (kind_of(operation) == WARP_GROUP || is_quad_pairs(operation)) return 2;
  return words_for(n_of(operation) * k_of(operation), is_packed(operation) ? 4 : bits_of_type(b_type(operation)));
}

static inline INLINE u32 words_of_c(u64 operation) {
  if (is_quad_pairs(operation)) return c_type(operation) == F16 ? 4 : 8;
  u32 m = kind_of(operation) == WARP_GROUP ? 16 : m_of(operation);
  return words_for(m * n_of(operation), bits_of_type(c_type(operation)));
}

// The words of a thread's fragments, and those of other threads of the warp.
#ifdef __AMDGCN__

static inline INLINE u32 lane_of_warp(void) { return zluda_amd_lane(); }
static inline INLINE u32 own_word(const u32 *words, u32 index) { return words[index]; }
static inline INLINE u32 word_of_lane(const u32 *words, u32 index, u32 lane) {
  return zluda_amd_read_lane(words[index], lane);
}
#else
// In the tests, rows of 32 lanes.
extern u32 host_lane;
static inline INLINE u32 lane_of_warp(void) { return host_lane; }
static inline INLINE u32 own_word(const u32 *words, u32 index) { return words[index * 32 + host_lane]; }
static inline INLINE u32 word_of_lane(const u32 *words, u32 index, u32 lane) { return words[index * 32 + lane]; }
#endif
