// Instructions of textures: `tex`, `tld4`, `txq`, `suq`, `istypep`.

#include "texture_handle.h"
#include "texture_sample.h"

// The object of a handle: 0 for what a variable holds that nothing is bound to, which shows zeros.
static inline INLINE const object *sampled_object(u64 handle, u32 *out) {
  if (handle == 0) {
    UNROLL for (u32 i = 0; i < 5; i++) out[i] = i == 4;
    return 0;
  }
  const object *found = object_of(handle);
  // Textures of surfaces' arrays are other objects than the surfaces.
  if (!found || found->surface) zluda_amd_stop(ERROR_TRAP);
  return found;
}

static inline INLINE void look_up(u64 operation, const u32 *in, u32 *out) {
  operands o = {in, 0};
  const object *found = sampled_object(take_handle(&o), out);
  if (!found) return;
  u64 separate = take_handle(&o);
  sampler own;
  const sampler *used = &found->sampler;
  if (separate != 0) {
    const object *other = object_of(separate);
    u64 word = resolved(separate);
    if (other) {
      used = &other->sampler;
    } else if (is_sampler_word(word)) {
      own = sampler_of_word(word);
      used = &own;
    } else {
      zluda_amd_stop(ERROR_TRAP);
    }
  }
  sample(operation, found, used, o, out);
}

// ---- queries

static inline INLINE void query(u64 operation, const u32 *in, u32 *out) {
  operands o = {in, 0};
  u64 handle = take_handle(&o);
  u32 number = take(&o), attribute = detail_of(operation);
  const object *found = object_of(handle);
  u64 word = resolved(handle);
  UNROLL for (u32 i = 0; i < 5; i++) out[i] = i == 4;
  if (found) {
    out[0] = attribute_of(found, attribute, number);
  } else if (is_sampler_word(word) && is_of_sampler(attribute)) {
    sampler s = sampler_of_word(word);
    out[0] = attribute_of_sampler(&s, attribute);
  } else {
    zluda_amd_stop(ERROR_TRAP);
  }
}

static inline INLINE void is_type(u64 operation, const u32 *in, u32 *out) {
  operands o = {in, 0};
  u64 handle = take_handle(&o);
  const object *found = object_of(handle);
  UNROLL for (u32 i = 0; i < 5; i++) out[i] = i == 4;
  switch (detail_of(operation)) {
  case 0: out[0] = found && !found->surface; break;
  case 2: out[0] = found && found->surface; break;
  default: out[0] = is_sampler_word(resolved(handle)); break;
  }
}

#define ENTRY(name, body) \
  INLINE void zluda_amd_texture_##name(u64 operation, void *in, void *out) { body(operation, in, out); }

ENTRY(look_up, look_up)
ENTRY(query, query)
ENTRY(is_type, is_type)
