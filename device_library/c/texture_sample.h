// Look-ups, `tex` and `tld4`, and what `txq` and `suq` ask of an object, for all targets. A target says what lies behind handles.

#pragma once

#include "texture_cube.h"
#include "texture_texel.h"

// ---- from coordinates to the numbers of texels and the weights of filters

// Fractional bits of coordinates in fixed point, and of levels.
#define FRACTION 21
#define LEVEL_BITS 8
#define LEAST_I64 (-0x7fffffffffffffffl - 1)

static inline i64 plus_saturated(i64 a, i64 b) {
  i64 sum;
  return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? LEAST_I64 : 0x7fffffffffffffffl) : sum;
}

// A coordinate along one axis, in texels. What is no number is 0, and so are numbers too small to be normal; those beyond
// 2^36 are as good as that.
static inline i64 fixed_of(u32 word, u32 size, int normalized) {
  u32 magnitude = word & 0x7fffffff;
  float coordinate = magnitude > 0x7f800000 || magnitude < 0x800000 ? 0.0f : float_of(word);
  coordinate = clamped_float(coordinate, -0x1p36f, 0x1p36f);
  i64 fixed = (i64)__builtin_floor((double)coordinate * 0x1p21), whole;
  if (!normalized) return fixed;
  if (__builtin_mul_overflow(fixed, (i64)size, &whole)) return fixed < 0 ? LEAST_I64 : 0x7fffffffffffffffl;
  return whole;
}

// The lower one of the two texels whose centres the coordinate lies between, and the upper one's weight of 256.
typedef struct {
  i64 low;
  i32 weight;
} span;

static inline span between(i64 fixed) {
  i64 from_centre = plus_saturated(fixed, -(1l << (FRACTION - 1)));
  i64 rounded = plus_saturated(from_centre, 1 << (FRACTION - WEIGHT - 1)) >> (FRACTION - WEIGHT);
  return (span){rounded >> WEIGHT, (i32)(rounded & ((1 << WEIGHT) - 1))};
}

static inline i32 part_of(i32 whole, i32 of) { return (whole * of + 128) >> WEIGHT; }

static inline void corners_of_slice(i32 all, i32 x, i32 y, i32 *to) {
  i32 upper = part_of(all, x), lower = all - upper;
  i32 both_lower = part_of(lower, 256 - y), both_upper = part_of(upper, y);
  to[0] = both_lower;
  to[1] = upper - both_upper;
  to[2] = lower - both_lower;
  to[3] = both_upper;
}

// The weights of 256 of the corners of a filter, of which bit 0 says upper or lower in x, bit 1 in y and bit 2 in z.
static inline void corner_weights(i32 whole, i32 x, i32 y, i32 z, i32 *to) {
  i32 below = part_of(whole, 256 - z);
  corners_of_slice(below, x, y, to);
  corners_of_slice(whole - below, x, y, to + 4);
}

// Numbers of texels have less than 53 bits; the quotient may be off by one.
static OUTLINE i64 remainder_of(i64 value, i64 size) {
  i64 rest = value - (i64)__builtin_floor((double)value / (double)size) * size;
  return rest < 0 ? rest + size : rest >= size ? rest - size : rest;
}

// The number of the texel of the image, or -1 where the border is.
static inline i32 texel_number(i64 number, u32 size, u32 address) {
  if (number >= 0 && number < (i64)size) return (i32)number;
  switch (address) {
  case WRAP: return (i32)remainder_of(number, size);
  case CLAMP: return number < 0 ? 0 : (i32)size - 1;
  case MIRROR: {
    i32 folded = (i32)remainder_of(number, 2 * (i64)size), last = 2 * (i32)size - 1;
    return folded < last - folded ? folded : last - folded;
  }
  default: return -1;
  }
}

// ---- cubes

// Halves are taken, and cut towards minus infinity, before they are moved to where the face begins.
static inline float unit_of(float value) {
  if (value != value) return 0.5f;
  return (float)((__builtin_floor((double)value * 0x1p20) + 0x1p20) / 0x1p21);
}

// The face that a direction meets; its coordinates become those on the face, from 0 to 1.
static inline u32 face_of(const float *direction, u32 *coordinates) {
  float scaled[3], place[2];
  scale_direction(direction, scaled);
  u32 face = face_of_scaled(scaled);
  on_face(face, scaled, place);
  coordinates[0] = bits_of(unit_of(place[0]));
  coordinates[1] = bits_of(unit_of(place[1]));
  coordinates[2] = 0;
  return face;
}

// The texel next to a face's edge: on the face that shares the edge; returns 0 beyond a corner, where three faces meet and
// there is no texel.
static OUTLINE int neighbour_of(u32 *face, i32 *px, i32 *py, i32 size) {
  i32 x = *px, y = *py;
  int x_outside = x < 0 || x >= size, y_outside = y < 0 || y >= size;
  if (x_outside && y_outside) return 0;
  if (!x_outside && !y_outside) return 1;
  // Twice the distance from the face's middle, so that centres of texels are whole; a texel beyond the edge lies as far
  // down on the next face as it was beyond.
  i32 s = 2 * x + 1 - size, t = 2 * y + 1 - size, d[3];
  switch (*face) {
  case 0: d[0] = size; d[1] = -t; d[2] = -s; break;
  case 1: d[0] = -size; d[1] = -t; d[2] = s; break;
  case 2: d[0] = s; d[1] = size; d[2] = t; break;
  case 3: d[0] = s; d[1] = -size; d[2] = -t; break;
  case 4: d[0] = s; d[1] = -t; d[2] = size; break;
  default: d[0] = -s; d[1] = -t; d[2] = -size; break;
  }
  // The component that went beyond becomes the major axis; the old one is one texel from the edge.
  u32 beyond = 3, old = 3;
  for (u32 i = 3; i-- > 0;) {
    i32 magnitude = d[i] < 0 ? -d[i] : d[i];
    if (magnitude > size) beyond = i;
    if (magnitude == size) old = i;
  }
  if (beyond == 3 || old == 3) return 0;
  int negative = d[beyond] < 0;
  for (u32 i = 0; i < 3; i++) {
    i32 most = size - 1, value = d[i];
    value = value < -most ? -most : value > most ? most : value;
    if (i == beyond) value = negative ? -size : size;
    else if (i == old) value = d[i] < 0 ? -most : most;
    d[i] = value;
  }
  *face = 2 * beyond + (u32)negative;
  switch (*face) {
  case 0: s = -d[2]; t = -d[1]; break;
  case 1: s = d[2]; t = -d[1]; break;
  case 2: s = d[0]; t = d[2]; break;
  case 3: s = d[0]; t = -d[2]; break;
  case 4: s = d[0]; t = -d[1]; break;
  default: s = -d[0]; t = -d[1]; break;
  }
  *px = (s + size - 1) / 2;
  *py = (t + size - 1) / 2;
  return 1;
}

// ---- look-ups

typedef struct {
  const object *object;
  const sampler *sampler;
  u32 layer, face;
  u32 coordinates[3];
  i32 offsets[3];
  float depth;
} lookup;

static inline INLINE u32 plane_axes(u64 operation) { return is_cube(operation) ? 2 : axes_of(operation); }

static inline INLINE int is_seamless(u64 operation, const lookup *l) { return is_cube(operation) && l->sampler->seamless; }

static inline INLINE u32 size_along(const level *l, u32 axis) {
  return axis == 0 ? l->width : axis == 1 ? l->height : l->depth;
}

static inline INLINE u32 address_along(u64 operation, const lookup *l, u32 axis) {
  u32 address = l->sampler->address[axis];
  // Whole numbers of texels do not repeat.
  int repeats = address == WRAP || address == MIRROR;
  return is_cube(operation) || (repeats && !l->sampler->normalized) ? CLAMP : address;
}

static inline INLINE i64 fixed_along(u64 operation, const lookup *l, const level *image, u32 axis) {
  int normalized = l->sampler->normalized || is_cube(operation);
  i64 fixed = fixed_of(l->coordinates[axis], size_along(image, axis), normalized);
  return plus_saturated(fixed, (i64)l->offsets[axis] * (1 << FRACTION));
}

// The slice of the layer and face.
static inline INLINE u32 slice_of(const lookup *l, const level *image, u32 face) {
  u32 faces = l->object->shape == CUBE || l->object->shape == CUBE_LAYERS ? 6 : 1;
  u32 layers = image->depth / faces ? image->depth / faces : 1;
  return (l->layer < layers ? l->layer : layers - 1) * faces + face;
}

// "If the comparison passes, the result is 1.0, otherwise 0.0."
static inline INLINE texel compared(u64 operation, const lookup *l, texel t) {
  if (!compares(operation)) return t;
  for (u32 channel = 0; channel < 4; channel++) {
    float value = float_of(word_of(t.channels[channel]));
    t.channels[channel] = (number){FLOAT, 0, l->depth <= value ? 1.0f : 0.0f};
  }
  return t;
}

static inline INLINE texel loaded(u64 operation, const lookup *l, const level *image, u32 x, u32 y, u32 z) {
  x = x < image->width ? x : image->width - 1;
  y = y < image->height ? y : image->height - 1;
  z = z < image->depth ? z : image->depth - 1;
  texel t;
  texture_texel(l->object, image, x, y, z, &t);
  return compared(operation, l, t);
}

static inline INLINE texel border_of(u64 operation, const lookup *l) {
  texel t;
  texture_border(l->object, l->sampler->border, &t);
  return compared(operation, l, t);
}

// The texel with these numbers, or the border.
static OUTLINE texel numbered(u64 operation, const lookup *l, const level *image, const i64 *numbers) {
  u32 axes = plane_axes(operation), place[3] = {0, 0, 0};
  ROLLED for (u32 axis = 0; axis < axes; axis++) {
    i32 found = texel_number(numbers[axis], size_along(image, axis), address_along(operation, l, axis));
    if (found < 0) return border_of(operation, l);
    place[axis] = (u32)found;
  }
  if (axes == 1 && numbers[1] != 0 && l->sampler->address[1] == BORDER) return border_of(operation, l);
  if (axes < 3) place[2] = slice_of(l, image, l->face);
  return loaded(operation, l, image, place[0], place[1], place[2]);
}

// The texel with these numbers, whatever the sampler says; zeros outside of the image. Images of one axis give no texels
// this way, memory does.
static inline INLINE texel fetched(u64 operation, const lookup *l, const level *image) {
  u32 axes = plane_axes(operation), place[3] = {0, 0, 0};
  for (u32 axis = 0; axis < axes; axis++) {
    i64 number = (i64)(i32)l->coordinates[axis] + l->offsets[axis];
    if (number < 0 || number >= (i64)size_along(image, axis)) return zero_texel(l->object);
    place[axis] = (u32)number;
  }
  if (l->object->shape == AXES && l->object->axes == 1) return zero_texel(l->object);
  if (axes < 3) place[2] = slice_of(l, image, 0);
  return loaded(operation, l, image, place[0], place[1], place[2]);
}

// A texel of a cube with seamless edges: from the next face, or nothing at a corner.
static inline INLINE int cube_texel(u64 operation, const lookup *l, const level *image, i64 x, i64 y, texel *to) {
  u32 face = l->face;
  i32 px = (i32)x, py = (i32)y;
  if (!neighbour_of(&face, &px, &py, (i32)image->width)) return 0;
  *to = loaded(operation, l, image, (u32)px, (u32)py, slice_of(l, image, face));
  return 1;
}

static inline INLINE void push(weighted_texels *w, texel t, i32 weight, u32 slice) {
  w->texels[w->count] = t;
  w->slices[w->count] = (u8)slice;
  w->weights[w->count++] = weight;
}

// The texels of one level and their weights, `whole` together; `slice` is the level's first one.
static inline INLINE void level_texels(u64 operation, const lookup *l, const level *image, i32 whole, u32 slice, weighted_texels *to) {
  if (is_whole(operation)) return push(to, fetched(operation, l, image), whole, slice);
  i64 fixed[3];
  ROLLED for (u32 axis = 0; axis < 3; axis++) fixed[axis] = fixed_along(operation, l, image, axis);
  if (!l->sampler->linear) {
    for (u32 axis = 0; axis < 3; axis++) fixed[axis] >>= FRACTION;
    return push(to, numbered(operation, l, image, fixed), whole, slice);
  }
  u32 axes = plane_axes(operation);
  // A row is a plane of one row, met at its edge: half of what a border gives is the border.
  int bordered = geometry_of(operation) == G_1D && l->sampler->address[1] == BORDER;
  if (bordered) axes = 2;
  span spans[3];
  ROLLED for (u32 axis = 0; axis < 3; axis++) {
    span s = between(fixed[axis]);
    u32 size = size_along(image, axis);
    if (axis >= axes) {
      s = (span){0, 0};
    } else if (!is_seamless(operation, l) && !(axis == 1 && bordered) && address_along(operation, l, axis) == CLAMP) {
      // Clamping moves coordinates into the image.
      if (s.low < 0) s = (span){0, 0};
      else if (s.low >= (i64)size - 1) s = (span){(i64)size - 1, 0};
    }
    spans[axis] = s;
  }
  i32 weights[8];
  corner_weights(whole, spans[0].weight, spans[1].weight, spans[2].weight, weights);
  if (!is_seamless(operation, l)) {
    ROLLED for (u32 corner = 0; corner < 1u << axes; corner++) {
      if (weights[corner] == 0) continue;
      i64 numbers[3];
      for (u32 axis = 0; axis < 3; axis++) numbers[axis] = spans[axis].low + (corner >> axis & 1);
      push(to, numbered(operation, l, image, numbers), weights[corner], slice + corner / 4);
    }
    return;
  }
  texel found[4];
  int there[4], beyond = -1;
  ROLLED for (u32 corner = 0; corner < 4; corner++) {
    there[corner] = cube_texel(operation, l, image, spans[0].low + (corner & 1), spans[1].low + (corner >> 1), &found[corner]);
    if (!there[corner] && beyond < 0) beyond = (int)corner;
  }
  // Beyond a corner of a cube there is no texel: the three others share its weight.
  if (beyond >= 0) {
    i32 third = (weights[beyond] + 1) / 3;
    weights[beyond ^ 1] += third;
    weights[beyond ^ 2] += third;
    weights[beyond ^ 3] += weights[beyond] - 2 * third;
  }
  ROLLED for (u32 corner = 0; corner < 4; corner++) {
    if (there[corner]) push(to, found[corner], weights[corner], slice);
  }
}

// Levels with eight fractional bits, cut; what is no number is 0.
static inline INLINE i64 fixed_level(float level) {
  double scaled = (double)level * (1 << LEVEL_BITS);
  if (scaled != scaled) return 0;
  return (i64)(scaled < -1e9 ? -1e9 : scaled > 1e9 ? 1e9 : scaled);
}

// The lower level, and the weight of the next one of 256. Bias counts where the instruction names a level.
static inline INLINE span levels_of(u64 operation, const lookup *l, float level, i64 last) {
  const sampler *s = l->sampler;
  u32 kind = level_kind_of(operation);
  i64 bias = kind == LEVEL || kind == GRAD ? fixed_level(s->bias) : 0;
  i64 least = fixed_level(s->least_level), greatest = fixed_level(s->greatest_level);
  i64 fixed = fixed_level(level) + bias, most = last << LEVEL_BITS;
  fixed = fixed < least ? least : fixed;
  fixed = fixed > greatest ? greatest : fixed;
  fixed = fixed < 0 ? 0 : fixed > most ? most : fixed;
  if (s->linear_levels) return (span){fixed >> LEVEL_BITS, (i32)(fixed & ((1 << LEVEL_BITS) - 1))};
  return (span){(fixed + (1 << (LEVEL_BITS - 1))) >> LEVEL_BITS, 0};
}

// The level of steps to the next thread along two directions. For images of three axes NVIDIA's compiler takes the slopes
// from coordinates with a step added.
static inline INLINE float level_of_slopes(u64 operation, const lookup *l, const float *direction, float *slopes) {
  const level *image = &l->object->levels[0];
  i32 level;
  if (is_cube(operation)) {
    level = texture_cube_slope(direction, slopes, image->width);
  } else {
    for (u32 i = 0; i < 6; i++) {
      float coordinate = float_of(l->coordinates[i % 3]), stepped = coordinate + slopes[i];
      if (geometry_of(operation) == G_3D) slopes[i] = (stepped != stepped ? 0.0f : stepped) - coordinate;
      else if (i % 3 >= plane_axes(operation)) slopes[i] = 0.0f;
    }
    u32 sizes[3] = {image->width, image->height, image->depth};
    level = texture_slope(slopes, sizes);
  }
  return level == NO_LEVEL ? -__builtin_inff() : (float)level / (1 << LEVEL_BITS);
}

static inline INLINE void convert(u64 operation, const u32 *words, u32 *out) {
  u32 type = type_of(operation), halves = type == T_F16 || type == T_F16X2;
  for (u32 i = 0; i < 4; i++) out[i] = halves ? float_to_half(float_of(words[i])) : words[i];
  out[4] = 1;
  if (type == T_F16X2) {
    out[0] |= out[1] << 16;
    out[1] = out[2] | out[3] << 16;
    out[2] = out[3] = 0;
  }
}

static inline INLINE void filtered(u64 operation, const lookup *l, float level_number, u32 *out) {
  const object *o = l->object;
  i64 last = (i64)o->level_count - 1;
  span levels = last == 0 ? (span){0, 0} : levels_of(operation, l, level_number, last);
  weighted_texels texels;
  texels.count = 0;
  // One level after the other, in a loop for the size of the code.
  ROLLED for (u32 next = 0; next < 2; next++) {
    if (next && levels.weight == 0) break;
    i64 number = levels.low + next < last ? levels.low + next : last;
    level_texels(operation, l, &o->levels[number], next ? levels.weight : 256 - levels.weight, 2 * next, &texels);
  }
  int single = texels.count == 1 && (!l->sampler->linear || is_whole(operation));
  u32 words[4];
  ROLLED for (u32 channel = 0; channel < 4; channel++) {
    words[channel] = single ? word_of(texels.texels[0].channels[channel]) : texture_average(&texels, channel);
  }
  convert(operation, words, out);
}

// One channel of the four texels of a linear filter, counter-clockwise from the lower left.
static inline INLINE void gathered(u64 operation, const lookup *l, u32 *out) {
  const level *image = &l->object->levels[0];
  span x = between(fixed_along(operation, l, image, 0)), y = between(fixed_along(operation, l, image, 1));
  u32 channel = detail_of(operation) & 3, words[4];
  texel texels[4];
  int there[4];
  ROLLED for (u32 corner = 0; corner < 4; corner++) {
    i64 numbers[3] = {x.low + (corner == 1 || corner == 2), y.low + (corner < 2), 0};
    there[corner] = 1;
    if (is_seamless(operation, l)) there[corner] = cube_texel(operation, l, image, numbers[0], numbers[1], &texels[corner]);
    else texels[corner] = numbered(operation, l, image, numbers);
  }
  ROLLED for (u32 corner = 0; corner < 4; corner++) {
    if (there[corner]) {
      words[corner] = word_of(texels[corner].channels[channel]);
      continue;
    }
    // Beyond a corner of a cube, the average of the others, as filters take it.
    weighted_texels others;
    others.count = 0;
    ROLLED for (u32 other = 0; other < 4; other++) {
      if (there[other]) push(&others, texels[other], other == (corner ^ 2) ? 86 : 85, 0);
    }
    words[corner] = texture_average(&others, channel);
  }
  convert(operation, words, out);
}

// Of an object with a sampler, which may be its own.
static inline INLINE void sample(u64 operation, const object *object, const sampler *sampler, operands o, u32 *out) {
  lookup l;
  l.object = object;
  l.sampler = sampler;
  u32 axes = axes_of(operation), geometry = geometry_of(operation);
  l.layer = is_layered(operation) ? take(&o) : 0;
  if (geometry == G_2DMS || geometry == G_A2DMS) take(&o);
  float direction[3], slopes[6] = {0}, level_number = 0.0f;
  UNROLL for (u32 axis = 0; axis < 3; axis++) {
    l.coordinates[axis] = axis < axes ? take(&o) : 0;
    direction[axis] = float_of(l.coordinates[axis]);
  }
  if (level_kind_of(operation) == LEVEL) {
    u32 word = take(&o);
    level_number = is_whole(operation) ? (float)(i32)word : float_of(word);
  } else if (level_kind_of(operation) == GRAD) {
    UNROLL for (u32 along = 0; along < 2; along++) {
      UNROLL for (u32 axis = 0; axis < axes; axis++) slopes[3 * along + axis] = float_of(take(&o));
    }
  }
  // Four bits of an offset count, six of one of a gather.
  u32 width = action_of(operation) == GATHER ? 6 : 4, first_offset = 0;
  UNROLL for (u32 axis = 0; axis < 3; axis++) {
    u32 offset = has_offset(operation) && axis < axes ? take(&o) : 0;
    if (axis == 0) first_offset = offset;
    l.offsets[axis] = sign_extended(offset, width);
  }
  // The offset of one axis is not cut, so its next bits are one across, which only a border shows.
  if (geometry == G_1D) l.offsets[1] = (i32)(first_offset << 24) >> 28;
  l.depth = compares(operation) ? float_of(take(&o)) : 0.0f;
  l.face = is_cube(operation) ? face_of(direction, l.coordinates) : 0;
  if (action_of(operation) == GATHER) return gathered(operation, &l, out);
  if (level_kind_of(operation) == GRAD) level_number = level_of_slopes(operation, &l, direction, slopes);
  filtered(operation, &l, level_number, out);
}

// ---- queries

enum attribute {
  WIDTH, HEIGHT, DEPTH, CHANNEL_DATA_TYPE, CHANNEL_ORDER, NORMALIZED_COORDS, ARRAY_SIZE, NUM_MIPMAP_LEVELS, NUM_SAMPLES,
  FORCE_UNNORMALIZED_COORDS, FILTER_MODE, ADDR_MODE_0, ADDR_MODE_1, ADDR_MODE_2, MEMORY_LAYOUT,
};

static inline INLINE int is_of_sampler(u32 attribute) {
  return attribute >= FORCE_UNNORMALIZED_COORDS && attribute <= ADDR_MODE_2;
}

static inline INLINE u32 attribute_of_sampler(const sampler *s, u32 attribute) {
  switch (attribute) {
  case FORCE_UNNORMALIZED_COORDS: return !s->normalized;
  case FILTER_MODE: return s->linear;
  default: return s->address[attribute - ADDR_MODE_0];
  }
}

// As OpenCL numbers the types of channels ("the values correspond to those in the OpenCL headers").
static inline INLINE u32 data_type(const object *o) {
  u32 whole = o->as_integers;
  switch (o->channel) {
  case S8: return whole ? 0x10d7 : 0x10d0;
  case SNORM8: return 0x10d0;
  case S16: return whole ? 0x10d8 : 0x10d1;
  case SNORM16: return 0x10d1;
  case U8: return whole ? 0x10da : 0x10d2;
  case UNORM8: return 0x10d2;
  case U16: return whole ? 0x10db : 0x10d3;
  case UNORM16: return 0x10d3;
  case S32: return 0x10d9;
  case U32: return 0x10dc;
  case F16: return 0x10dd;
  default: return 0x10de;
  }
}

static inline INLINE u32 attribute_of(const object *o, u32 attribute, u32 number) {
  if (number >= o->level_count) return 0;
  const level *l = &o->levels[number];
  u32 layers = o->shape == LAYERS ? o->levels[0].depth : o->shape == CUBE_LAYERS ? o->levels[0].depth / 6 : 0;
  switch (attribute) {
  case WIDTH: return l->width;
  // Layers are a row's height and a plane's depth.
  case HEIGHT:
    if (o->surface && o->shape == AXES && o->axes == 1) return 0;
    return o->shape == LAYERS && o->axes == 1 ? layers : l->height;
  case DEPTH:
    if ((o->shape == LAYERS && o->axes == 2) || o->shape == CUBE_LAYERS) return layers;
    return o->shape == AXES && o->axes == 3 ? l->depth : 0;
  case ARRAY_SIZE: return layers;
  case NUM_MIPMAP_LEVELS: return o->level_count;
  case NUM_SAMPLES: return 1;
  case CHANNEL_DATA_TYPE: return data_type(o);
  case CHANNEL_ORDER: return o->channels < 2 ? 0x10b0 : o->channels < 4 ? 0x10b2 : 0x10b5;
  case NORMALIZED_COORDS: return o->sampler.normalized;
  case MEMORY_LAYOUT: return 0;
  default: return attribute_of_sampler(&o->sampler, attribute);
  }
}
