// Texels and their averages.

#pragma once

#include "texture_operation.h"

static inline int is_whole_channel(const object *o) {
  switch (o->channel) {
  case U8: case U16: case S8: case S16: return o->as_integers != 0;
  case U32: case S32: return 1;
  default: return 0;
  }
}

// The last of two or four channels is alpha, which is linear.
static inline int is_srgb(const object *o, u32 channel) { return o->srgb && (channel == 0 || channel + 1 < o->channels); }

static inline i32 sign_extended(u32 bits, u32 width) { return (i32)(bits << (32 - width)) >> (32 - width); }

// What the bits of a channel mean.
static inline OUTLINE number number_of(u32 bits, const object *o, u32 channel) {
  if (is_whole_channel(o)) {
    switch (o->channel) {
    case S8: return (number){WHOLE, sign_extended(bits, 8), 0};
    case S16: return (number){WHOLE, sign_extended(bits, 16), 0};
    case U8: return (number){WHOLE, (i32)(bits & 0xff), 0};
    case U16: return (number){WHOLE, (i32)(bits & 0xffff), 0};
    case S32: return (number){WHOLE_S32, (i32)bits, 0};
    default: return (number){WHOLE_U32, (i32)bits, 0};
    }
  }
  // What it is of how much; bytes count as 16 bits where they are averaged.
  u32 kind;
  i32 value, most;
  switch (o->channel) {
  case F16: return (number){HALF, 0, half_to_float(bits & 0xffff)};
  case F32: return (number){FLOAT, 0, float_of(bits)};
  case U8:
    if (is_srgb(o, channel)) return texture_srgb(bits & 0xff);
  case UNORM8: kind = UNSIGNED; value = (i32)(bits & 0xff) * 257; most = 255 * 257; break;
  case U16: case UNORM16: kind = UNSIGNED; value = (i32)(bits & 0xffff); most = 65535; break;
  case S8: case SNORM8: kind = SIGNED8; value = sign_extended(bits, 8); most = 127; break;
  default: kind = SIGNED16; value = sign_extended(bits, 16); most = 32767; break;
  }
  return (number){kind, value, (float)(value < -most ? -most : value) / (float)most};
}

static inline texel zero_texel(const object *o) {
  number zero = number_of(0, o, 0);
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
static inline OUTLINE texel texel_at(const object *o, const level *l, u32 x, u32 y, u32 z) {
  texel t;
  if (o->block != PLAIN) {
    u64 at = l->start + z * l->slice + y / 4 * l->pitch + (u64)(x / 4) * bytes_of_texel(o);
    u8 bytes[16] = {0};
    ROLLED for (u32 i = 0; i < bytes_of_texel(o); i++) bytes[i] = *(const u8 *)(at + i);
    texture_block(o->block, bytes, y % 4 * 4 + x % 4, o->srgb && o->channels == 4, &t);
    if (o->opaque && o->channels < 4) t.channels[3] = one_of(o);
    return t;
  }
  u32 size = bytes_of_channel(o->channel);
  u64 at = l->start + z * l->slice + y * l->pitch + (u64)x * (size * o->channels);
  t = zero_texel(o);
  ROLLED for (u32 channel = 0; channel < o->channels; channel++) {
    u32 bits;
    if (size == 1) bits = *(const u8 *)(at + channel);
    else if (size == 2) bits = *(const u16 *)(at + 2 * channel);
    else bits = *(const u32 *)(at + 4 * channel);
    t.channels[channel] = number_of(bits, o, channel);
  }
  return t;
}

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

// The encoded number of sRGB whose linear one is nearest.
static inline OUTLINE u32 srgb_encoded(float value) {
  if (value != value) return 0;
  float wanted = clamped_float(value, 0.0f, 1.0f), nearest = 2.0f;
  u32 found = 0;
  ROLLED for (u32 encoded = 0; encoded < 256; encoded++) {
    float distance = __builtin_fabsf(texture_srgb(encoded).exact - wanted);
    if (distance < nearest) {
      nearest = distance;
      found = encoded;
    }
  }
  return found;
}

// The border's colour, as the channels of the format hold it: rounded, or for integers its lowest bits.
static inline OUTLINE void border_texel(const object *o, const float *colour, texel *to) {
  ROLLED for (u32 channel = 0; channel < 4; channel++) {
    float value = colour[channel], least = 0.0f, scale;
    number *n = &to->channels[channel];
    if (channel == 3 && o->opaque && o->channels < 4) {
      *n = one_of(o);
      continue;
    }
    if (channel >= o->channels) {
      *n = number_of(0, o, channel);
      continue;
    }
    if (is_whole_channel(o)) {
      *n = number_of(bits_of(value), o, channel);
      continue;
    }
    switch (o->channel) {
    case U8: case UNORM8:
      if (is_srgb(o, channel)) {
        *n = texture_srgb(srgb_encoded(value));
        continue;
      }
      scale = 255.0f;
      break;
    case U16: case UNORM16: scale = 65535.0f; break;
    case S8: case SNORM8: scale = 127.0f; least = -1.0f; break;
    case S16: case SNORM16: scale = 32767.0f; least = -1.0f; break;
    case F16: *n = (number){HALF, 0, half_to_float(float_to_half_cut(value))}; continue;
    default: *n = (number){FLOAT, 0, value}; continue;
    }
    // The half that is added is a little less.
    float magnitude = __builtin_floorf(__builtin_fabsf(clamped_float(value, least, 1.0f) * scale) + 0.4375f);
    i32 whole = value != value ? 0 : (i32)magnitude;
    *n = number_of((u32)(bits_of(value) >> 31 ? -whole : whole), o, channel);
  }
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

// Slices of two levels of three axes.
#define SLICES 4

// `2^exponent`, of normal numbers.
static inline double power_of_two_f64(i32 exponent) { return double_of((u64)(exponent + 1023) << 52); }

// To so many bits of significand, ties away from zero.
static inline float rounded(double value, u32 significand) {
  // All bits of the significand that there are.
  if (value != value) return float_of(0x7f800000 | (0x7fffffu << (24 - significand) & 0x7fffff));
  u64 bits = bits_of_double(value);
  if ((bits >> 52 & 0x7ff) == 0x7ff) return (float)value;
  u32 cut = 53 - significand;
  return (float)double_of((bits + (1ul << (cut - 1))) & ~((1ul << cut) - 1));
}

// Of floats; of each slice, four bits below the last one of the greatest number count.
static inline double average_of_floats(const weighted_texels *w, u32 channel, i32 significand) {
  double whole = -0.0;
  ROLLED for (u32 slice = 0; slice < SLICES; slice++) {
    float greatest = 0.0f;
    ROLLED for (u32 i = 0; i < w->count; i++) {
      float magnitude = __builtin_fabsf(w->texels[i].channels[channel].exact);
      if (w->slices[i] == slice && w->weights[i] != 0 && magnitude > greatest) greatest = magnitude;
    }
    i32 exponent = (i32)(bits_of(greatest) >> 23) - 127 + 1 - significand - 4;
    double sum = -0.0;
    ROLLED for (u32 i = 0; i < w->count; i++) {
      if (w->slices[i] != slice || w->weights[i] == 0) continue;
      double value = w->texels[i].channels[channel].exact;
      if (bits_of(greatest) >> 23 != 0xff) {
        value = __builtin_trunc(value * power_of_two_f64(-exponent)) * power_of_two_f64(exponent);
      }
      sum += value * (double)w->weights[i];
    }
    whole += sum;
  }
  return whole / 256.0;
}

// What a texel adds to a sum of numbers of a kind: nothing where it is of another one, as what lies outside of blocks is.
static inline i32 share_of(const weighted_texels *w, u32 i, u32 channel, u32 kind) {
  return w->texels[i].channels[channel].kind == kind ? w->weights[i] : 0;
}

// The average, as a word for the kernel.
static inline OUTLINE u32 average_of(const weighted_texels *w, u32 channel) {
  u32 kind = w->count ? w->texels[0].channels[channel].kind : WHOLE;
  if (kind == HALF) {
    double average = average_of_floats(w, channel, 11);
    // Halves have no bits below 2^-24.
    if (__builtin_fabs(average) < 0x1p-14) return bits_of((float)(__builtin_round(average * 0x1p24) / 0x1p24));
    return bits_of(rounded(average, 11));
  }
  if (kind == FLOAT) return bits_of(rounded(average_of_floats(w, channel, 24), 24));
  if (kind == SRGB) {
    i32 exponent = -128;
    ROLLED for (u32 i = 0; i < w->count; i++) {
      i32 own = w->texels[i].channels[channel].value >> 8;
      if (share_of(w, i, channel, kind) != 0 && own > exponent) exponent = own;
    }
    if (exponent == -128) return 0;
    // All of them get the exponent of the greatest, which cuts bits off the others.
    i32 sum = 0;
    ROLLED for (u32 i = 0; i < w->count; i++) {
      i32 value = w->texels[i].channels[channel].value, share = share_of(w, i, channel, kind);
      sum += share == 0 ? 0 : (i32)((u32)(value & 255) >> (exponent - (value >> 8))) * share;
    }
    return bits_of(rounded((double)sum * power_of_two_f64(exponent - WEIGHT), 11));
  }
  i64 sum = 0;
  ROLLED for (u32 i = 0; i < w->count; i++) {
    i32 value = w->texels[i].channels[channel].value;
    sum += (kind == WHOLE_U32 ? (i64)(u32)value : value) * share_of(w, i, channel, kind);
  }
  i64 nearest = (sum + (1 << (WEIGHT - 1))) >> WEIGHT;
  switch (kind) {
  case WHOLE: return (u32)nearest;
  // Those of 32 bits are rounded down.
  case WHOLE_U32: case WHOLE_S32: return (u32)(sum >> WEIGHT);
  case UNSIGNED: return bits_of((float)(i32)nearest / 65535.0f);
  case SIGNED8: nearest = sum + ((sum + 64 + 16 * (sum >> 12)) >> 7); // Of 127 * 256 to of 32767.
  default: return bits_of((float)(i32)(nearest < -32767 ? -32767 : nearest) / 32767.0f);
  }
}
