// Handles of textures, surfaces and samplers on AMD GPUs.

#pragma once

#include "services.h"
#include "texture_operation.h"

static inline INLINE u64 take_handle(operands *o) {
  u64 low = take(o);
  return low | (u64)take(o) << 32;
}

// Handles: a mark and the address of an object, or the address of a variable that holds one. Those of samplers are
// variables whose words are `simt_abi::sampler_word`.

#define HANDLE_TAG 0x7e57ul
#define SAMPLER_TAG 0x7e58ul
// `simt_abi::texture_object::LIVE`
#define LIVE 0x65727574786574ul

// The word that a handle stands for: itself, or what the variable at that address holds.
static inline INLINE u64 resolved(u64 handle) {
  return handle >> 48 != 0 || handle % 8 != 0 || handle < 4096 ? handle : *(const u64 *)handle;
}

static inline INLINE const object *object_of(u64 handle) {
  handle = resolved(handle);
  if (handle >> 48 != HANDLE_TAG) return 0;
  const object *found = (const object *)(handle & 0xfffffffffffful);
  return found->mark == LIVE ? found : 0;
}

static inline INLINE int is_sampler_word(u64 word) { return word >> 48 == SAMPLER_TAG; }

static inline INLINE sampler sampler_of_word(u64 word) {
  sampler s = {0};
  for (u32 axis = 0; axis < 3; axis++) s.address[axis] = word >> 2 * axis & 3;
  s.linear = word >> 6 & 1;
  s.normalized = !(word >> 7 & 1);
  s.greatest_level = 1000.0f;
  return s;
}
