// Instructions of surfaces: `suld`, `sust` and `sured`.

#include "texture_access.h"
#include "texture_handle.h"

INLINE void zluda_amd_texture_surface(u64 operation, void *in, void *out) {
  operands o = {in, 0};
  u32 *results = out;
  u64 handle = take_handle(&o);
  if (handle == 0) {
    UNROLL for (u32 i = 0; i < 5; i++) results[i] = i == 4;
    return;
  }
  const object *found = object_of(handle);
  if (!found || !found->surface) zluda_amd_stop(ERROR_TRAP);
  u32 wrong = access(operation, found, o, results);
  if (wrong) zluda_amd_stop(wrong == OUTSIDE ? ERROR_ILLEGAL_ADDRESS : ERROR_MISALIGNED);
}
