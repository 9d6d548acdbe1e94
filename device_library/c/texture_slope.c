// Levels from slopes, as an H100 computes them: by numbers of ten bits, without squares and roots. And the curve of sRGB.

#include "texture_cube.h"

// `significand * 2^exponent`: the significand is 0, or from 512 to 1023.
typedef struct {
  u32 significand;
  i32 exponent;
} brief;

#define BITS 10
// 11/8 and 121/64, as significands, and what the exponent of 1 is, less the sign.
#define ELEVEN_8TH 704
#define SQUARED 968
#define BIASED (BITS - 1)

static inline brief cut(u64 value, i32 exponent) {
  if (value == 0) return (brief){0, 0};
  i32 shift = 64 - __builtin_clzl(value) - BITS;
  return (brief){(u32)(shift < 0 ? value << -shift : value >> shift), exponent + shift};
}

// The magnitude of a number; numbers too small to be normal are 0, and so is what is none.
static inline brief brief_of(float value) {
  u32 bits = bits_of(value) & 0x7fffffff;
  if (bits >> 23 == 0 || bits > 0x7f800000) return (brief){0, 0};
  return cut((bits & 0x7fffff) | 0x800000, (i32)(bits >> 23) - 150);
}

// Rounds to nearest before it is known how long the product is, which longer ones are cut after.
static inline brief times(brief a, u32 significand, i32 exponent) {
  u64 product = ((u64)(a.significand * significand) + (1 << (BITS - 2))) >> (BITS - 1);
  return cut(product, a.exponent + exponent + BITS - 1);
}

// Adds up the shifted number for each bit of the size, cut to three bits below the last one, and rounds up.
static inline brief times_size(brief a, u32 number) {
  brief size = cut(number, 0);
  u32 sum = 0;
  ROLLED for (u32 shift = 0; shift < BITS; shift++) {
    if (size.significand >> (BITS - 1 - shift) & 1) sum += a.significand << 3 >> shift;
  }
  return cut((sum + 7) >> 3, a.exponent + size.exponent + BITS - 1);
}

static inline brief scaled(brief a, i32 exponent) { return (brief){a.significand, a.exponent + exponent}; }

static inline int is_below(brief a, brief b) {
  if ((a.significand != 0) != (b.significand != 0)) return a.significand == 0;
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.significand < b.significand;
}

static inline brief greater_of(brief a, brief b) { return is_below(a, b) ? b : a; }
static inline brief lesser_of(brief a, brief b) { return is_below(a, b) ? a : b; }

// How many bits lie between the units. Beyond so many the lesser one changes nothing.
static inline u32 distance_of(brief greater, brief lesser) {
  u32 distance = lesser.significand == 0 ? 0 : (u32)(greater.exponent - lesser.exponent);
  return distance < 2 * BITS ? distance : 2 * BITS;
}

static inline brief plus(brief a, brief b) {
  brief greater = greater_of(a, b), lesser = lesser_of(a, b);
  u32 distance = distance_of(greater, lesser);
  return cut(((u64)greater.significand << distance) + lesser.significand, greater.exponent - (i32)distance);
}

// The distance of two numbers. Of the lesser one, one bit below the unit of the greater one counts.
static inline brief minus(brief a, brief b) {
  brief greater = greater_of(a, b), lesser = lesser_of(a, b);
  u64 less = (u64)lesser.significand << 1 >> distance_of(greater, lesser);
  return cut(((u64)greater.significand << 1) - less, greater.exponent - 1);
}

// Longest first.
static inline void sort(brief *sides) {
  ROLLED for (u32 i = 0; i < 3; i++) {
    u32 at = i == 1 ? 1 : 0;
    brief greater = greater_of(sides[at], sides[at + 1]), lesser = lesser_of(sides[at], sides[at + 1]);
    sides[at] = greater;
    sides[at + 1] = lesser;
  }
}

// About the length of a step with these components: the longest one, 11/32 of the next and a quarter of the last.
static OUTLINE brief length_of(brief a, brief b, brief c) {
  brief sides[3] = {a, b, c};
  sort(sides);
  return plus(sides[0], plus(times(sides[1], ELEVEN_8TH, -BIASED - 2), scaled(sides[2], -2)));
}

// 11/16 of the length.
static OUTLINE brief diagonal_of(brief a, brief b, brief c) {
  brief sides[3] = {a, b, c};
  sort(sides);
  brief others = plus(times(sides[1], SQUARED, -BIASED - 3), times(sides[2], ELEVEN_8TH, -BIASED - 3));
  return plus(times(sides[0], ELEVEN_8TH, -BIASED - 1), others);
}

// 256 times the logarithm to the base of 2 of 1 + n/256, as an H100 has it: that of about 1 + (n + 0.48) / 256.
static const u8 LOGARITHMS[256] = {
  0, 2, 4, 5, 6, 8, 9, 11, 12, 13, 15, 16, 18, 19, 20, 22, 23, 24, 26, 27, 28, 30, 31, 32, 34, 35, 36, 38, 39, 40, 42,
  43, 44, 45, 47, 48, 49, 50, 52, 53, 54, 55, 57, 58, 59, 60, 62, 63, 64, 65, 66, 68, 69, 70, 71, 72, 74, 75, 76, 77,
  78, 79, 81, 82, 83, 84, 85, 86, 88, 89, 90, 91, 92, 93, 94, 95, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107,
  109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131,
  132, 133, 135, 136, 137, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154,
  155, 156, 157, 158, 159, 160, 161, 162, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 173, 174, 175,
  176, 177, 178, 179, 180, 181, 181, 182, 183, 184, 185, 186, 187, 188, 188, 189, 190, 191, 192, 193, 194, 195, 195,
  196, 197, 198, 199, 200, 200, 201, 202, 203, 204, 205, 205, 206, 207, 208, 209, 210, 210, 211, 212, 213, 214, 214,
  215, 216, 217, 218, 218, 219, 220, 221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229, 229, 230, 231, 232, 233,
  233, 234, 235, 236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244, 245, 245, 246, 247, 248, 248, 249, 250,
  251, 251, 252, 253, 253, 254, 255, 255,
};

static inline i32 logarithm_of(brief step) {
  if (step.significand == 0) return NO_LEVEL;
  u32 place = (step.significand - (1 << (BITS - 1))) >> 1;
  return (i32)((u32)(step.exponent + BITS - 1) << 8) + LOGARITHMS[place];
}

// Of the steps in both directions, and of 11/16 of their sum and their difference, the longest one counts.
i32 texture_slope(const float *slopes, const u32 *sizes) {
  brief along[3], across[3], sum[3], difference[3];
  ROLLED for (u32 axis = 0; axis < 3; axis++) {
    along[axis] = times_size(brief_of(slopes[axis]), sizes[axis]);
    across[axis] = times_size(brief_of(slopes[3 + axis]), sizes[axis]);
    brief more = plus(along[axis], across[axis]), less = minus(along[axis], across[axis]);
    int same = bits_of(slopes[axis]) >> 31 == bits_of(slopes[3 + axis]) >> 31;
    sum[axis] = same ? more : less;
    difference[axis] = same ? less : more;
  }
  brief step = greater_of(length_of(along[0], along[1], along[2]), length_of(across[0], across[1], across[2]));
  step = greater_of(step, diagonal_of(sum[0], sum[1], sum[2]));
  step = greater_of(step, diagonal_of(difference[0], difference[1], difference[2]));
  return logarithm_of(step);
}

// ---- cubes

// A step from a direction to another one, in sides of a face: on the face; to the next face, along each side of the first
// one the way to the edge and the way beyond; or to the face across.
typedef struct {
  enum { WITHIN, ACROSS, OPPOSITE } kind;
  float ways[2][2];
} face_step;

static inline float or_zero(float value) { return value != value ? 0.0f : value; }

static OUTLINE face_step step_of(const float *direction, const float *slope) {
  float from[3], stepped[3], here[2], there[2];
  ROLLED for (u32 axis = 0; axis < 3; axis++) from[axis] = direction[axis] + slope[axis];
  scale_direction(from, stepped);
  scale_direction(direction, from);
  u32 face = face_of_scaled(from), next = face_of_scaled(stepped);
  on_face(face, from, here);
  on_face(face, stepped, there);
  face_step step = {WITHIN, {{0, 0}, {0, 0}}};
  ROLLED for (u32 side = 0; side < 2; side++) {
    step.ways[side][0] = (float)((double)or_zero(there[side]) / 2.0 - (double)or_zero(here[side]) / 2.0);
  }
  if (face == next) return step;
  if (face / 2 == next / 2) {
    step.kind = OPPOSITE;
    return step;
  }
  // The axis of the next face is one of the sides, in its direction or against it.
  step.kind = ACROSS;
  float axis[3] = {0.0f, 0.0f, 0.0f}, sides[2];
  axis[next / 2] = next % 2 ? -1.0f : 1.0f;
  on_face(face, axis, sides);
  // How far the old face's axis is left, from 1/2 at the edge to -1/2 at the other one.
  double left = (double)or_zero(stepped[face / 2]) / 2.0;
  if (face % 2) left = -left;
  ROLLED for (u32 side = 0; side < 2; side++) {
    if (sides[side] == 0.0f) continue;
    step.ways[side][0] = (float)(0.5 - (double)sides[side] * ((double)or_zero(here[side]) / 2.0));
    step.ways[side][1] = (float)(0.5 - left);
  }
  return step;
}

// Where a step leaves the face, sum and difference do not count.
i32 texture_cube_slope(const float *direction, const float *slopes, u32 size) {
  face_step steps[2] = {step_of(direction, slopes), step_of(direction, slopes + 3)};
  // At least a whole side.
  if (steps[0].kind == OPPOSITE || steps[1].kind == OPPOSITE) return 0x7fffffff;
  if (steps[0].kind == WITHIN && steps[1].kind == WITHIN) {
    float both[6] = {steps[0].ways[0][0], steps[0].ways[1][0], 0, steps[1].ways[0][0], steps[1].ways[1][0], 0};
    u32 sizes[3] = {size, size, 1};
    return texture_slope(both, sizes);
  }
  brief longest = {0, 0};
  ROLLED for (u32 i = 0; i < 2; i++) {
    brief sides[2];
    ROLLED for (u32 side = 0; side < 2; side++) {
      brief to = times_size(brief_of(steps[i].ways[side][0]), size);
      brief beyond = times_size(brief_of(steps[i].ways[side][1]), size);
      sides[side] = steps[i].kind == ACROSS ? plus(to, beyond) : to;
    }
    longest = greater_of(longest, length_of(sides[0], sides[1], (brief){0, 0}));
  }
  return logarithm_of(longest);
}

// ---- sRGB

// They are near the curve, but rounded in no one way.
static const u8 SIGNIFICANDS[256] = {
  0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 66, 72, 78, 85, 92, 99, 107, 115, 123, 131, 140, 150, 159, 169,
  180, 190, 201, 213, 224, 118, 125, 131, 138, 145, 152, 159, 166, 174, 182, 190, 198, 206, 215, 224, 233, 121, 126,
  131, 136, 141, 146, 151, 156, 162, 168, 173, 179, 185, 191, 197, 204, 105, 108, 112, 115, 118, 122, 125, 129, 133,
  136, 140, 144, 148, 152, 156, 160, 164, 169, 173, 177, 182, 186, 191, 195, 200, 205, 209, 214, 219, 224, 229, 234,
  120, 122, 125, 128, 130, 133, 136, 139, 142, 145, 148, 151, 154, 157, 160, 163, 166, 169, 172, 176, 179, 182, 186,
  189, 192, 196, 199, 203, 206, 210, 214, 217, 221, 225, 229, 232, 236, 240, 244, 248, 126, 128, 130, 132, 134, 136,
  138, 141, 143, 145, 147, 149, 152, 154, 156, 158, 161, 163, 165, 168, 170, 173, 175, 178, 180, 182, 185, 188, 190,
  193, 195, 198, 200, 203, 206, 209, 211, 214, 217, 219, 222, 225, 228, 231, 234, 237, 240, 242, 123, 124, 126, 127,
  129, 130, 132, 133, 135, 137, 138, 140, 141, 143, 145, 146, 148, 150, 151, 153, 155, 156, 158, 160, 161, 163, 165,
  167, 169, 170, 172, 174, 176, 178, 179, 181, 183, 185, 187, 189, 191, 193, 195, 197, 199, 201, 203, 205, 207, 209,
  211, 213, 215, 217, 219, 221, 223, 225, 227, 229, 232, 234, 236, 238, 120, 121, 122, 123, 125, 126, 127, 128,
};

// The curve has segments: two significands of each have one exponent.
static inline i32 segment_of(u32 encoded) {
  return encoded < 32    ? -14
         : encoded < 48  ? -13
         : encoded < 64  ? -12
         : encoded < 96  ? -11
         : encoded < 136 ? -10
         : encoded < 184 ? -9
         : encoded < 248 ? -8
                         : -7;
}

number texture_srgb(u32 encoded) {
  i32 exponent = segment_of(encoded);
  u32 significand = SIGNIFICANDS[encoded & 255];
  return (number){SRGB, (i32)(significand | (u32)exponent << 8), (float)(i32)significand * power_of_two(exponent)};
}
