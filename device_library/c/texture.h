// What kernels find behind handles of textures and surfaces, and the numbers that texels stand for. The rules are those of
// docs/dev/textures.md.

#pragma once

#include "device.h"

// An instruction's operation is a constant of the kernel's code on GPUs, and an argument on the CPU.
#if ON_CPU
#define UNROLL
#define ROLLED
#else
#define UNROLL _Pragma("clang loop unroll(full)")
#define ROLLED _Pragma("clang loop unroll(disable)")
#endif

// ---- objects: `simt_abi::texture_object`

enum shape { LINEAR, AXES, LAYERS, CUBE, CUBE_LAYERS };

enum channel { U8, U16, U32, S8, S16, S32, F16, F32, UNORM8, UNORM16, SNORM8, SNORM16 };

enum block { PLAIN, BC1, BC2, BC3, BC4, SIGNED_BC4, BC5, SIGNED_BC5, BC6H, SIGNED_BC6H, BC7 };

enum address { WRAP, CLAMP, MIRROR, BORDER };

typedef struct {
  u64 start, pitch, slice;
  u32 width, height, depth, unused;
} level;

typedef struct {
  u32 address[3];
  u32 linear, linear_levels, normalized, seamless;
  float bias, least_level, greatest_level, border[4];
} sampler;

#define MOST_LEVELS 18

typedef struct {
  u64 mark;
  u32 surface, shape, axes, level_count;
  u32 channel, channels, block, opaque, as_integers, srgb;
  sampler sampler;
  u32 unused[2];
  level levels[MOST_LEVELS];
} object;

// Whether a number below 32 is one of a set of bits: shorter than a `switch` where lanes differ.
static inline int is_of(u32 set, u32 number) { return set >> number & 1; }

static inline u32 bytes_of_channel(u32 channel) {
  const u32 one = 1 << U8 | 1 << S8 | 1 << UNORM8 | 1 << SNORM8, four = 1 << U32 | 1 << S32 | 1 << F32;
  return is_of(one, channel) ? 1 : is_of(four, channel) ? 4 : 2;
}

// Bytes of a texel, or of a block of them.
static inline u32 bytes_of_texel(const object *o) {
  if (o->block == PLAIN) return bytes_of_channel(o->channel) * o->channels;
  return is_of(1 << BC1 | 1 << BC4 | 1 << SIGNED_BC4, o->block) ? 8 : 16;
}

// ---- numbers

// How a channel is averaged, and what kernels get, depends on its kind.
enum kind {
  // Integers of 8 and 16 bits, and those of 32.
  WHOLE, WHOLE_U32, WHOLE_S32,
  // Of 65535; of 127, with -128; of 32767, with -32768. With the exact value.
  UNSIGNED, SIGNED8, SIGNED16,
  // A number of the table of sRGB: significand in the low 8 bits, exponent above.
  SRGB,
  HALF, FLOAT,
};

typedef struct {
  u32 kind;
  i32 value;
  float exact;
} number;

typedef struct {
  number channels[4];
} texel;

static inline float power_of_two(i32 exponent) { return float_of((u32)(exponent + 127) << 23); }

static inline OUTLINE number unsigned16(u32 value) { return (number){UNSIGNED, (i32)value, (float)(i32)value / 65535.0f}; }
static inline OUTLINE number unsigned8(u32 value) { return (number){UNSIGNED, (i32)value * 257, (float)(i32)value / 255.0f}; }

// What a kernel gets of a texel that no filter touched.
static inline u32 word_of(number n) { return n.kind <= WHOLE_S32 ? (u32)n.value : bits_of(n.exact); }

static inline float half_to_float(u32 bits) {
  u32 sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  float magnitude = exponent == 0    ? (float)(i32)fraction * 0x1p-24f
                    : exponent == 31 ? float_of(0x7f800000 | fraction << 13)
                                     : float_of((exponent + 112) << 23 | fraction << 13);
  return float_of(sign | bits_of(magnitude));
}

// The linear number of an encoded one of sRGB.
number texture_srgb(u32 encoded) NAMED("zluda.texture_part.srgb");

// The texel at a place from 0 to 15 of a block; `encoded` says that colours are those of sRGB.
void texture_block(u32 block, const u8 *bytes, u32 place, u32 encoded, texel *to) NAMED("zluda.texture_part.block");

// The level at which a step to the next thread is as long as a texel, with eight fractional bits, or `NO_LEVEL` for
// steps of no length. `slopes` are three numbers along x, and three along y.
i32 texture_slope(const float *slopes, const u32 *sizes) NAMED("zluda.texture_part.slope");
#define NO_LEVEL (-0x7fffffff)

// The same for who looks from the middle of a cube in a direction; `slopes` are two steps to other directions.
i32 texture_cube_slope(const float *direction, const float *slopes, u32 size) NAMED("zluda.texture_part.cube_slope");
