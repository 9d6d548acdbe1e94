// Instructions of textures and surfaces for the engine, which finds what handles mean. `words` are the operands behind these.

#include "texture_access.h"
#include "texture_sample.h"

void texture_sample(u64 operation, const object *o, const sampler *s, const u32 *words, u32 *out) NAMED("zluda.texture.sample");
void texture_sample(u64 operation, const object *o, const sampler *s, const u32 *words, u32 *out) {
  sample(operation, o, s, (operands){words, 0}, out);
}

// Gives an `enum wrong`.
u32 texture_surface(u64 operation, const object *o, const u32 *words, u32 *out) NAMED("zluda.texture.surface");
u32 texture_surface(u64 operation, const object *o, const u32 *words, u32 *out) {
  return access(operation, o, (operands){words, 0}, out);
}

// What `txq` and `suq` give for a level of an object.
u32 texture_attribute(const object *o, u32 attribute, u32 number) NAMED("zluda.texture.attribute");
u32 texture_attribute(const object *o, u32 attribute, u32 number) { return attribute_of(o, attribute, number); }
