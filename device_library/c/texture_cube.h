// Directions, and the faces of a cube that they meet.

#pragma once

#include "texture.h"

// The greater one; what is no number counts as nothing.
static inline float greater_float(float a, float b) { return a >= b || b != b ? a : b; }

// Divides by the greatest component, which makes infinities no numbers; where one by that is too small to be normal, all
// are zero.
static inline void scale_direction(const float *direction, float *to) {
  float greatest = __builtin_fabsf(direction[0]);
  greatest = greater_float(greatest, __builtin_fabsf(direction[1]));
  greatest = greater_float(greatest, __builtin_fabsf(direction[2]));
  float scale = 1.0f / greatest;
  u32 exponent = bits_of(scale) & 0x7f800000;
  if (exponent == 0) scale = 0.0f;
  ROLLED for (u32 i = 0; i < 3; i++) to[i] = exponent == 0 || exponent == 0x7f800000 ? direction[i] * scale : direction[i] / greatest;
}

static inline float magnitude_or_less(float value) { return value != value ? -1.0f : __builtin_fabsf(value); }

// The face of the component of greatest magnitude; the later axis wins a tie. What is not a number counts less than 0.
static inline u32 face_of_scaled(const float *d) {
  float x = magnitude_or_less(d[0]), y = magnitude_or_less(d[1]), z = magnitude_or_less(d[2]);
  u32 axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  float value = axis == 2 ? d[2] : axis == 1 ? d[1] : d[0];
  return 2 * axis + (value < 0.0f);
}

// The components of a direction along the sides of a face.
static inline void on_face(u32 face, const float *d, float *to) {
  switch (face) {
  case 0: to[0] = -d[2]; to[1] = -d[1]; break;
  case 1: to[0] = d[2]; to[1] = -d[1]; break;
  case 2: to[0] = d[0]; to[1] = d[2]; break;
  case 3: to[0] = d[0]; to[1] = -d[2]; break;
  case 4: to[0] = d[0]; to[1] = -d[1]; break;
  default: to[0] = -d[0]; to[1] = -d[1]; break;
  }
}
