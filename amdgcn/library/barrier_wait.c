// `barrier.sync` and its kin where hardware's one barrier does not do. They become part of the kernel before its
// threads get ways of their own, so that lanes that wait do not keep others of their wave from coming.

#include "barrier.h"

static inline INLINE u64 wait(u32 id, u32 threads, u32 is_true) {
  u64 ticket = barrier_come(id, threads, is_true, 1);
  while (!barrier_is_over(ticket)) {
  }
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  return ticket;
}

void sync(u32 id, u32 threads) NAMED("zluda.amd.software.barrier.sync");
void sync(u32 id, u32 threads) { wait(id, threads, 0); }

void arrive(u32 id, u32 threads) NAMED("zluda.amd.software.barrier.arrive");
void arrive(u32 id, u32 threads) { barrier_come(id, threads, 0, 0); }

u32 popc(u32 id, u32 threads, _Bool is_true) NAMED("zluda.amd.software.barrier.red.popc");
u32 popc(u32 id, u32 threads, _Bool is_true) { return (u32)barrier_result(wait(id, threads, is_true)); }

_Bool any(u32 id, u32 threads, _Bool is_true) NAMED("zluda.amd.software.barrier.red.or");
_Bool any(u32 id, u32 threads, _Bool is_true) { return (u32)barrier_result(wait(id, threads, is_true)) != 0; }

_Bool all(u32 id, u32 threads, _Bool is_true) NAMED("zluda.amd.software.barrier.red.and");
_Bool all(u32 id, u32 threads, _Bool is_true) { return barrier_result(wait(id, threads, is_true)) >> 32 == 0; }
