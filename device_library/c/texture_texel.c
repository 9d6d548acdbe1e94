// What look-ups do that is the same for all instructions: texels and their averages.

#include "texture_texel.h"

OUTLINE number texture_number(u32 bits, LENT const object *o, u32 channel) {
  const u32 with_sign = 1 << S8 | 1 << S16 | 1 << S32 | 1 << SNORM8 | 1 << SNORM16;
  int is_signed = is_of(with_sign, o->channel);
  u32 width = 8 * bytes_of_channel(o->channel), above = 32 - width;
  i32 value = is_signed ? (i32)(bits << above) >> above : (i32)(bits << above >> above);
  if (is_whole_channel(o)) return (number){width < 32 ? WHOLE : is_signed ? WHOLE_S32 : WHOLE_U32, value, 0};
  if (o->channel == F16) return (number){HALF, 0, half_to_float((u32)value)};
  if (o->channel == F32) return (number){FLOAT, 0, float_of((u32)value)};
  if (o->channel == U8 && is_srgb(o, channel)) return texture_srgb((u32)value);
  // What it is of how much; bytes count as 16 bits where they are averaged.
  u32 kind = !is_signed ? UNSIGNED : width == 8 ? SIGNED8 : SIGNED16;
  i32 most = !is_signed ? 65535 : width == 8 ? 127 : 32767;
  if (!is_signed && width == 8) value *= 257;
  return (number){kind, value, (float)(value < -most ? -most : value) / (float)most};
}

void texture_texel(LENT const object *o, LENT const level *l, u32 x, u32 y, u32 z, LENT texel *to) {
  if (o->block != PLAIN) {
    u64 at = l->start + z * l->slice + y / 4 * l->pitch + (u64)(x / 4) * bytes_of_texel(o);
    u8 bytes[16] = {0};
    ROLLED for (u32 i = 0; i < bytes_of_texel(o); i++) bytes[i] = *(const u8 *)(at + i);
    texture_block(o->block, bytes, y % 4 * 4 + x % 4, o->srgb && o->channels == 4, to);
    if (o->opaque && o->channels < 4) to->channels[3] = one_of(o);
    return;
  }
  u32 size = bytes_of_channel(o->channel);
  u64 at = l->start + z * l->slice + y * l->pitch + (u64)x * (size * o->channels);
  *to = zero_texel(o);
  ROLLED for (u32 channel = 0; channel < o->channels; channel++) {
    u32 bits;
    if (size == 1) bits = *(const u8 *)(at + channel);
    else if (size == 2) bits = *(const u16 *)(at + 2 * channel);
    else bits = *(const u32 *)(at + 4 * channel);
    to->channels[channel] = texture_number(bits, o, channel);
  }
}

// The encoded number of sRGB whose linear one is nearest.
static OUTLINE u32 srgb_encoded(float value) {
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

void texture_border(LENT const object *o, LENT const float *colour, LENT texel *to) {
  ROLLED for (u32 channel = 0; channel < 4; channel++) {
    float value = colour[channel], least = 0.0f, scale;
    number *n = &to->channels[channel];
    if (channel == 3 && o->opaque && o->channels < 4) {
      *n = one_of(o);
      continue;
    }
    if (channel >= o->channels) {
      *n = texture_number(0, o, channel);
      continue;
    }
    if (is_whole_channel(o)) {
      *n = texture_number(bits_of(value), o, channel);
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
    *n = texture_number((u32)(bits_of(value) >> 31 ? -whole : whole), o, channel);
  }
}

// ---- averages

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

// Zeros of the same sign in the place of subnormal numbers, which is what an H200 averages, and what it gives for averages.
static inline float flushed(float value) {
  return __builtin_fabsf(value) < 0x1p-126f ? __builtin_copysignf(0.0f, value) : value;
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
      double value = flushed(w->texels[i].channels[channel].exact);
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

u32 texture_average(LENT const weighted_texels *w, u32 channel) {
  u32 kind = w->count ? w->texels[0].channels[channel].kind : WHOLE;
  if (kind == HALF) {
    double average = average_of_floats(w, channel, 11);
    // Halves have no bits below 2^-24.
    if (__builtin_fabs(average) < 0x1p-14) return bits_of((float)(__builtin_round(average * 0x1p24) / 0x1p24));
    return bits_of(rounded(average, 11));
  }
  if (kind == FLOAT) return bits_of(flushed(rounded(average_of_floats(w, channel, 24), 24)));
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
