// The 16 barriers of a block, in LDS. One lane of a warp does what the warp does to them, under a lock.

#include "barrier.h"
#include "services.h"

#define BARRIERS 16
#define WARPS 32

typedef struct Barrier {
  u32 phase;
  // Threads that have come in this phase, by whole warps.
  u32 arrived;
  // That it waits for, as the last one said; 0 for all of the block.
  u32 threads;
  u32 trues;
  u32 falses;
  // Warps that have come and wait.
  u32 waiting;
  // Of the last two phases.
  u64 results[2];
} Barrier;

typedef struct State {
  u32 lock;
  // Warps with threads that have not exited, and the number of these threads.
  u32 live_warps;
  u32 live_threads[WARPS];
  // Warps that wait at any of the barriers.
  u32 waiting;
  Barrier barriers[BARRIERS];
} State;

static volatile SHARED State state __attribute__((loader_uninitialized));


// Everybody sees the barriers as they are at first.
CONVERGENT OUTLINE void zluda_amd_barrier_begin(void) {
  u32 threads = (u32)__builtin_popcount(zluda_amd_ballot(1));
  u32 warp = zluda_warpid();
  if (zluda_amd_lane() == 0) {
    state.live_threads[warp % WARPS] = threads;
    if (warp == 0) {
      state.lock = 0;
      state.waiting = 0;
      state.live_warps = zluda_nwarpid();
      for (u32 id = 0; id < BARRIERS; id++) {
        state.barriers[id].phase = 0;
        state.barriers[id].arrived = 0;
        state.barriers[id].trues = 0;
        state.barriers[id].falses = 0;
        state.barriers[id].waiting = 0;
      }
    }
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

static inline INLINE void lock(void) {
  while (__scoped_atomic_exchange_n(&state.lock, 1, __ATOMIC_ACQUIRE, BLOCK_SCOPE) != 0) {
    __builtin_amdgcn_s_sleep(1);
  }
}

static inline INLINE void unlock(void) { __scoped_atomic_store_n(&state.lock, 0, __ATOMIC_RELEASE, BLOCK_SCOPE); }

// Begins the next phase, if all have come.
static inline INLINE void complete(volatile SHARED Barrier *barrier) {
  u32 threads = barrier->threads == 0 ? state.live_warps * 32 : barrier->threads;
  if (barrier->arrived >= threads) {
    u32 phase = barrier->phase;
    barrier->results[phase & 1] = barrier->trues | (u64)barrier->falses << 32;
    barrier->arrived = 0;
    barrier->trues = 0;
    barrier->falses = 0;
    state.waiting -= barrier->waiting;
    barrier->waiting = 0;
    __scoped_atomic_store_n(&barrier->phase, phase + 1, __ATOMIC_RELEASE, BLOCK_SCOPE);
  }
}

// Nobody is left who could come to one of the barriers.
static inline INLINE u32 all_wait(void) { return state.live_warps != 0 && state.waiting >= state.live_warps; }

CONVERGENT OUTLINE u64 zluda_barrier_come(u32 id, u32 threads, u32 is_true, u32 waits) {
  u32 here = zluda_amd_ballot(1);
  u32 trues = zluda_amd_ballot(is_true != 0);
  u32 first = (u32)__builtin_ctz(here);
  u32 is_first = zluda_amd_lane() == first;
  volatile SHARED Barrier *barrier = &state.barriers[id % BARRIERS];
  u32 phase = 0;
  u32 error = 0;
  // Lanes of a warp that come to different barriers: NVIDIA's GPUs end such kernels too.
  if (zluda_amd_ballot(id != zluda_amd_read_lane(id, first) || threads != zluda_amd_read_lane(threads, first)) != 0) {
    zluda_amd_stop(ERROR_ILLEGAL_INSTRUCTION);
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  // One warp of the wave after the other.
  for (u64 left = zluda_amd_wave_ballot(is_first); left != 0; left &= left - 1) {
    if (zluda_amd_wave_lane() == (u32)__builtin_ctzl(left)) {
      lock();
      phase = barrier->phase;
      barrier->threads = threads;
      barrier->arrived += 32;
      barrier->trues += (u32)__builtin_popcount(trues);
      barrier->falses += (u32)__builtin_popcount(here & ~trues);
      barrier->waiting += waits;
      state.waiting += waits;
      complete(barrier);
      error = all_wait() ? ERROR_TRAP : 0;
      unlock();
    }
  }
  if (error != 0) {
    zluda_amd_stop(error);
  }
  return zluda_amd_read_lane(phase, first) | (u64)id << 32;
}

// A wave that traps does not come any more; those that wait look for that now and then.
static u32 is_hopeless(void) {
  return (__builtin_readcyclecounter() & 0xf00) == 0 && has_failed();
}

u32 zluda_amd_barrier_is_over(u64 ticket) {
  volatile SHARED Barrier *barrier = &state.barriers[(ticket >> 32) % BARRIERS];
  if (__scoped_atomic_load_n(&barrier->phase, __ATOMIC_RELAXED, BLOCK_SCOPE) != (u32)ticket) {
    return 1;
  }
  if (is_hopeless()) {
    end_wave();
  }
  __builtin_amdgcn_s_sleep(1);
  return 0;
}

u64 zluda_amd_barrier_result(u64 ticket) { return state.barriers[(ticket >> 32) % BARRIERS].results[ticket & 1]; }

// Threads exit. Nobody waits for a warp without threads.
CONVERGENT OUTLINE void zluda_amd_barrier_leave(void) {
  u32 here = zluda_amd_ballot(1);
  u32 is_first = zluda_amd_lane() == (u32)__builtin_ctz(here);
  u32 warp = zluda_warpid() % WARPS;
  u32 error = 0;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  for (u64 left = zluda_amd_wave_ballot(is_first); left != 0; left &= left - 1) {
    if (zluda_amd_wave_lane() == (u32)__builtin_ctzl(left)) {
      lock();
      u32 threads = state.live_threads[warp] - (u32)__builtin_popcount(here);
      state.live_threads[warp] = threads;
      if (threads == 0) {
        state.live_warps -= 1;
        for (u32 id = 0; id < BARRIERS; id++) {
          if (state.barriers[id].arrived != 0) {
            complete(&state.barriers[id]);
          }
        }
        error = all_wait() ? ERROR_TRAP : 0;
      }
      unlock();
    }
  }
  if (error != 0) {
    zluda_amd_stop(error);
  }
}
