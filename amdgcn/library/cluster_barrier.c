// The barrier of a cluster: a word of memory. Threads that have exited are not waited for.

#include "cluster.h"
#include "services.h"

#define ARRIVED_SHIFT 32
#define GONE_SHIFT 48
#define COUNT 0xfffful

// For each thread what `arrival_in` says of the last phase in which it arrived; 0 before. The phase is that one or the
// next, since no phase ends without the thread.
static volatile SHARED u8 arrivals[1024] __attribute__((loader_uninitialized));

static inline INLINE GLOBAL u64 *word(void) { return cluster_launch()->barriers + __builtin_amdgcn_workgroup_id_y(); }

static inline INLINE volatile SHARED u8 *arrival(void) { return &arrivals[zluda_amd_linear_tid() % 1024]; }

static inline INLINE u32 phase_now(void) {
  return (u32)__scoped_atomic_load_n(word(), __ATOMIC_RELAXED, DEVICE_SCOPE);
}

static inline INLINE u32 arrival_in(u32 phase) { return 1 + (phase & 1); }

INLINE void zluda_amd_cluster_begin(void) { *arrival() = 0; }

// Adds threads that arrive or exit. Of those that exit, `in_phase` had arrived in the phase that `phase` says.
static inline INLINE void change(u32 arriving, u32 leaving, u32 phase, u32 in_phase) {
  u32 threads = cluster_blocks() * zluda_ntid_x() * zluda_ntid_y() * zluda_ntid_z();
  u64 before = __scoped_atomic_load_n(word(), __ATOMIC_RELAXED, DEVICE_SCOPE);
  u64 after;
  do {
    u32 now = (u32)before;
    u32 arrived = (u32)(before >> ARRIVED_SHIFT & COUNT) + arriving - (now == phase ? in_phase : 0);
    u32 gone = (u32)(before >> GONE_SHIFT & COUNT) + leaving;
    if (gone == threads) {
      // The next launch finds the word as this one did.
      now = arrived = gone = 0;
    } else if (arrived + gone == threads) {
      now += 1;
      arrived = 0;
    }
    after = now | (u64)arrived << ARRIVED_SHIFT | (u64)gone << GONE_SHIFT;
  } while (!__scoped_atomic_compare_exchange_n(word(), &before, after, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               DEVICE_SCOPE));
}

CONVERGENT OUTLINE void zluda_amd_cluster_arrive(void) {
  u64 here = zluda_amd_wave_ballot(1);
  // The phase does not end before this thread has arrived.
  u32 phase = phase_now();
  *arrival() = (u8)arrival_in(phase);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  if (zluda_amd_wave_lane() == (u32)__builtin_ctzl(here)) {
    change((u32)__builtin_popcountl(here), 0, phase, 0);
  }
}

IN_CLUSTER(cluster_wait, "cluster.wait");
CONVERGENT OUTLINE void in_cluster_cluster_wait(void) {
  u32 last = *arrival(), rounds = 0;
  // A thread that has never arrived does not wait.
  while (last == arrival_in(phase_now())) {
    // Waves that trap do not come any more.
    if (++rounds % 256 == 0 && has_failed()) {
      end_wave();
    }
    __builtin_amdgcn_s_sleep(1);
  }
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  __asm__ volatile("" ::: "memory");
}

CONVERGENT OUTLINE void zluda_amd_cluster_leave(void) {
  u64 here = zluda_amd_wave_ballot(1);
  u32 phase = phase_now();
  u32 in_phase = (u32)__builtin_popcountl(zluda_amd_wave_ballot(*arrival() == arrival_in(phase)));
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  if (zluda_amd_wave_lane() == (u32)__builtin_ctzl(here)) {
    change(0, (u32)__builtin_popcountl(here), phase, in_phase);
  }
}
