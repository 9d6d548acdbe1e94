// Accesses of surfaces, `suld`, `sust` and `sured`, for all targets.

#pragma once

#include "texture_texel.h"

// Bytes of an element.
static inline INLINE u32 element_bytes(u32 type) {
  switch (type) {
  case T_B8: return 1;
  case T_B16: case T_F16: return 2;
  case T_B64: case T_U64: case T_S64: return 8;
  default: return 4;
  }
}

// Why an access ends the kernel.
enum wrong { FINE, OUTSIDE, MISALIGNED };

// Where an access of `width` bytes goes, or 0 outside of the surface.
typedef struct {
  u64 at;
  u32 wrong;
} place;

static inline INLINE place place_of(const level *l, u64 operation, operands *o, u32 texel_bytes, u32 width) {
  i64 at[3] = {0, 0, 0};
  u32 layer = is_layered(operation) ? take(o) : 0;
  UNROLL for (u32 axis = 0; axis < axes_of(operation); axis++) at[axis] = (i32)take(o);
  if (is_layered(operation)) at[2] = layer;
  u32 action = action_of(operation), bounds = bounds_of(operation);
  int formatted = action == STORE_FORMATTED || action == REDUCE_FORMATTED;
  // Bytes, of which the lowest that the access needs not be aligned by are cut.
  i64 x = formatted ? at[0] * width : at[0], y = at[1], z = at[2];
  i64 row = (i64)l->width * texel_bytes;
  int lines = y >= 0 && y < (i64)l->height && z >= 0 && z < (i64)l->depth;
  int fits = x >= 0 && x + width <= row && lines;
  if (bounds == TRAP && !(x >= 0 && x < row && lines)) return (place){0, OUTSIDE};
  if (!formatted && x % (i64)width != 0) return (place){0, MISALIGNED};
  if (!fits) {
    if (bounds == TRAP) return (place){0, OUTSIDE};
    if (bounds == ZEROED) return (place){0, FINE};
    i64 last = row - (i64)width > 0 ? row - (i64)width : 0;
    x = x < 0 ? 0 : x > last ? last : x;
    y = y < 0 ? 0 : y >= (i64)l->height ? (i64)l->height - 1 : y;
    z = z < 0 ? 0 : z >= (i64)l->depth ? (i64)l->depth - 1 : z;
  }
  if ((i64)width > row) return (place){0, FINE};
  x = x / width * width;
  return (place){l->start + (u64)z * l->slice + (u64)y * l->pitch + (u64)x, FINE};
}

static inline i32 clamped(i32 value, i32 least, i32 most) { return value < least ? least : value > most ? most : value; }

static inline u32 normal(float value, float least, float scale) {
  float inside = value != value ? 0.0f : clamped_float(value, least, 1.0f);
  return (u32)(i32)__builtin_rintf(inside * scale);
}

// A value as a channel keeps it: floats for formats of floats, integers that are as near as can be for formats of integers.
static inline u32 stored(u32 channel, u32 word) {
  float value = float_of(word);
  switch (channel) {
  case U8: return word < 255 ? word : 255;
  case U16: return word < 65535 ? word : 65535;
  case S8: return (u32)clamped((i32)word, -128, 127);
  case S16: return (u32)clamped((i32)word, -32768, 32767);
  case F16: return float_to_half_cut(value);
  case UNORM8: return normal(value, 0.0f, 255.0f);
  case UNORM16: return normal(value, 0.0f, 65535.0f);
  case SNORM8: return normal(value, -1.0f, 127.0f);
  case SNORM16: return normal(value, -1.0f, 32767.0f);
  default: return word;
  }
}

static inline void put(u64 at, u32 size, u32 word) {
  if (size == 1) *(u8 *)at = (u8)word;
  else if (size == 2) *(u16 *)at = (u16)word;
  else *(u32 *)at = word;
}

#define REDUCTIONS(place, value) \
  switch (detail_of(operation)) { \
  case ADD: __scoped_atomic_fetch_add(place, value, __ATOMIC_RELAXED, DEVICE_SCOPE); break; \
  case MIN: __scoped_atomic_fetch_min(place, value, __ATOMIC_RELAXED, DEVICE_SCOPE); break; \
  case MAX: __scoped_atomic_fetch_max(place, value, __ATOMIC_RELAXED, DEVICE_SCOPE); break; \
  case AND: __scoped_atomic_fetch_and(place, value, __ATOMIC_RELAXED, DEVICE_SCOPE); break; \
  default: __scoped_atomic_fetch_or(place, value, __ATOMIC_RELAXED, DEVICE_SCOPE); break; \
  }

static inline INLINE void reduce(u64 operation, u32 type, u64 at, u32 low, u64 wide) {
  if (type == T_S32) { REDUCTIONS((i32 *)at, (i32)low) }
  else if (type == T_S64) { REDUCTIONS((i64 *)at, (i64)wide) }
  else if (type == T_U64 || type == T_B64) { REDUCTIONS((u64 *)at, wide) }
  else { REDUCTIONS((u32 *)at, low) }
}

// Gives an `enum wrong`.
static inline INLINE u32 access(u64 operation, const object *found, operands o, u32 *out) {
  u32 action = action_of(operation), type = type_of(operation), size = element_bytes(type), count = count_of(operation);
  u32 texel_bytes = bytes_of_texel(found), bytes = size * count < 16 ? size * count : 16;
  // Formatted reductions count in what they reduce, whatever the texels are.
  place to = place_of(&found->levels[0], operation, &o, texel_bytes, action == STORE_FORMATTED ? texel_bytes : size * count);
  u64 at = to.at;
  UNROLL for (u32 i = 0; i < 5; i++) out[i] = i == 4 && at != 0;
  if (!at) return to.wrong;
  u32 step = size < 4 ? size : 4;
  if (action == LOAD) {
    UNROLL for (u32 i = 0; i < bytes / step; i++) {
      u64 from = at + i * step;
      out[i] = step == 1 ? *(const u8 *)from : step == 2 ? *(const u16 *)from : *(const u32 *)from;
    }
  } else if (action == STORE) {
    UNROLL for (u32 i = 0; i < bytes / step; i++) put(at + i * step, step, take(&o));
  } else if (action == STORE_FORMATTED) {
    u32 width = bytes_of_channel(found->channel);
    UNROLL for (u32 i = 0; i < 4; i++) {
      u32 word = i < count ? take(&o) : 0;
      if (i < found->channels) put(at + i * width, width, stored(found->channel, word));
    }
  } else {
    u32 low = take(&o);
    u64 wide = low | (u64)(size == 8 ? take(&o) : 0) << 32;
    // Bits are signed where the format is.
    if (action == REDUCE_FORMATTED && found->channel == S32) reduce(operation, T_S32, at, low, wide);
    else reduce(operation, type, at, low, wide);
  }
  return FINE;
}
