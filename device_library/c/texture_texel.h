// Texels and their averages.

#pragma once

#include "texture_operation.h"

static inline int is_whole_channel(const object *o) {
  const u32 narrow = 1 << U8 | 1 << U16 | 1 << S8 | 1 << S16, wide = 1 << U32 | 1 << S32;
  return is_of(o->as_integers ? narrow | wide : wide, o->channel);
}

// The last of two or four channels is alpha, which is linear.
static inline int is_srgb(const object *o, u32 channel) { return o->srgb && (channel == 0 || channel + 1 < o->channels); }

static inline i32 sign_extended(u32 bits, u32 width) { return (i32)(bits << (32 - width)) >> (32 - width); }

// What the bits of a channel mean.
number texture_number(u32 bits, LENT const object *o, u32 channel) NAMED("zluda.texture_part.number");

static inline texel zero_texel(const object *o) {
  number zero = texture_number(0, o, 0);
  return (texel){{zero, zero, zero, zero}};
}

static inline number one_of(const object *o) {
  switch (o->channel) {
  case SNORM16: return (number){SIGNED16, 32767, 1.0f};
  case F16: return (number){HALF, 0, 1.0f};
  default: return (number){UNSIGNED, 65535, 1.0f};
  }
}

// A texel of an image; channels that it has not are 0. Texels of blocks are decoded.
void texture_texel(LENT const object *o, LENT const level *l, u32 x, u32 y, u32 z, LENT texel *to)
    NAMED("zluda.texture_part.texel");

// The border's colour, as the channels of the format hold it: rounded, or for integers its lowest bits.
void texture_border(LENT const object *o, LENT const float *colour, LENT texel *to) NAMED("zluda.texture_part.border");

// Round to nearest even.
static inline u32 float_to_half(float value) {
  u32 bits = bits_of(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7fff;
  // 65520 and more, which rounds to infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  // Adding 2^-1 leaves the multiples of 2^-24.
  if (magnitude < 0x38800000) return sign | (bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f));
  return sign | (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
}

// Cut, as surfaces keep floats: what is too large becomes the greatest number, and of what is no number the first bits
// stay.
static inline u32 float_to_half_cut(float value) {
  u32 bits = bits_of(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7c00 | (bits >> 13 & 0x3ff);
  u32 nearest = float_to_half(value);
  if (magnitude != 0x7f800000 && (nearest & 0x7fff) == 0x7c00) return sign | 0x7bff;
  return half_to_float(nearest & 0x7fff) > float_of(magnitude) ? nearest - 1 : nearest;
}

static inline float clamped_float(float value, float least, float most) {
  return value < least ? least : value > most ? most : value;
}

// ---- averages

// Fractional bits of weights.
#define WEIGHT 8

// Texels and their weights of 256. A slice is the four texels of a level that lie side by side.
typedef struct {
  texel texels[16];
  i32 weights[16];
  u8 slices[16];
  u32 count;
} weighted_texels;

// The average, as a word for the kernel.
u32 texture_average(LENT const weighted_texels *w, u32 channel) NAMED("zluda.texture_part.average");
