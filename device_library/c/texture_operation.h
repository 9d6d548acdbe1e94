// An instruction of textures or surfaces as one number: `simt_abi::TextureOperation`. It is constant wherever it is used.

#pragma once

#include "texture.h"

enum action { SAMPLE, GATHER, QUERY, IS_TYPE, LOAD, STORE, STORE_FORMATTED, REDUCE, REDUCE_FORMATTED };

enum geometry { G_1D, G_2D, G_3D, G_A1D, G_A2D, G_CUBE, G_ACUBE, G_2DMS, G_A2DMS };

enum type { T_U32, T_S32, T_F32, T_F16, T_F16X2, T_B8, T_B16, T_B32, T_B64, T_U64, T_S64 };

enum level_kind { IMPLICIT, BASE, LEVEL, GRAD };

enum bounds { TRAP, CLAMPED, ZEROED };

enum reduction { ADD, MIN, MAX, AND, OR };

static inline INLINE u32 action_of(u64 operation) { return operation & 255; }
static inline INLINE u32 geometry_of(u64 operation) { return operation >> 8 & 255; }
static inline INLINE u32 type_of(u64 operation) { return operation >> 16 & 255; }
static inline INLINE u32 count_of(u64 operation) { return operation >> 24 & 255; }
static inline INLINE u32 level_kind_of(u64 operation) { return operation >> 32 & 255; }
static inline INLINE u32 detail_of(u64 operation) { return operation >> 40 & 255; }
static inline INLINE u32 bounds_of(u64 operation) { return operation >> 48 & 255; }
static inline INLINE int is_whole(u64 operation) { return operation >> 56 & 1; }
static inline INLINE int has_offset(u64 operation) { return operation >> 57 & 1; }
static inline INLINE int compares(u64 operation) { return operation >> 58 & 1; }

static inline INLINE int is_layered(u64 operation) {
  u32 g = geometry_of(operation);
  return g == G_A1D || g == G_A2D || g == G_ACUBE || g == G_A2DMS;
}

static inline INLINE int is_cube(u64 operation) {
  return geometry_of(operation) == G_CUBE || geometry_of(operation) == G_ACUBE;
}

// Coordinates without layer and sample.
static inline INLINE u32 axes_of(u64 operation) {
  switch (geometry_of(operation)) {
  case G_1D: case G_A1D: return 1;
  case G_3D: case G_CUBE: case G_ACUBE: return 3;
  default: return 2;
  }
}

// The operands of an instruction behind its handles, read one after the other.
typedef struct {
  const u32 *words;
  u32 next;
} operands;

static inline INLINE u32 take(operands *o) { return o->words[o->next++]; }
