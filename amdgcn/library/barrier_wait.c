// `barrier.sync` and its kin where hardware's one barrier does not do. They become part of the kernel before its
// threads get ways of their own, so that lanes that wait do not keep others of their wave from coming.

#include "barrier.h"

// Declares what takes the place of `zluda_<identifier>`, `zluda.<name>`.
#define SOFTWARE(identifier, name) \
  __typeof__(zluda_##identifier) software_##identifier NAMED("zluda.amd.software." name)

static inline INLINE u64 wait(u32 id, u32 threads, u32 is_true) {
  u64 ticket = zluda_barrier_come(id, threads, is_true, 1);
  while (!zluda_amd_barrier_is_over(ticket)) {
  }
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  return ticket;
}

SOFTWARE(barrier_sync, "barrier.sync");
void software_barrier_sync(u32 id, u32 threads) { wait(id, threads, 0); }

SOFTWARE(barrier_arrive, "barrier.arrive");
void software_barrier_arrive(u32 id, u32 threads) { zluda_barrier_come(id, threads, 0, 0); }

SOFTWARE(barrier_red_popc, "barrier.red.popc");
u32 software_barrier_red_popc(u32 id, u32 threads, _Bool is_true) {
  return (u32)zluda_amd_barrier_result(wait(id, threads, is_true));
}

SOFTWARE(barrier_red_or, "barrier.red.or");
_Bool software_barrier_red_or(u32 id, u32 threads, _Bool is_true) {
  return (u32)zluda_amd_barrier_result(wait(id, threads, is_true)) != 0;
}

SOFTWARE(barrier_red_and, "barrier.red.and");
_Bool software_barrier_red_and(u32 id, u32 threads, _Bool is_true) {
  return zluda_amd_barrier_result(wait(id, threads, is_true)) >> 32 == 0;
}
