// Instructions of textures and surfaces for the engine, which finds what handles mean. `words` are the operands behind these.
// The file is compiled once for all processors, and once for those of x86-64-v3, whose functions have that in their names.

#include "texture_access.h"
#include "texture_sample.h"

#ifdef __FMA__
#define ENTRY(name) NAMED("zluda.texture." name ".v3")
#else
#define ENTRY(name) NAMED("zluda.texture." name)
#endif

void texture_sample(u64 operation, const object *o, const sampler *s, const u32 *words, u32 *out) ENTRY("sample");
void texture_sample(u64 operation, const object *o, const sampler *s, const u32 *words, u32 *out) {
  sample(operation, o, s, (operands){words, 0}, out);
}

// Gives an `enum wrong`.
u32 texture_surface(u64 operation, const object *o, const u32 *words, u32 *out) ENTRY("surface");
u32 texture_surface(u64 operation, const object *o, const u32 *words, u32 *out) {
  return access(operation, o, (operands){words, 0}, out);
}

// What `txq` and `suq` give for a level of an object.
u32 texture_attribute(const object *o, u32 attribute, u32 number) ENTRY("attribute");
u32 texture_attribute(const object *o, u32 attribute, u32 number) { return attribute_of(o, attribute, number); }
