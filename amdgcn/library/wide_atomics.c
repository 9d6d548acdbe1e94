// Atomic operations on 128 bits, which hardware does not have: under locks, which lie in the memory of the heap and are
// chosen by address. One lane of a wave after the other takes one, so that no lane waits for its neighbour.

#include "heap.h"
#include "services.h"
#include "device.h"

typedef u64x2 Wide;

typedef enum Action { LOAD, STORE, EXCHANGE, COMPARE } Action;

// Shared memory has the same addresses in all blocks, which only makes them wait for each other.
static inline INLINE GLOBAL u32 *lock_of(volatile Wide *place) {
  GLOBAL Services *shared = services();
  if (shared == 0 || shared->heap == 0) {
    return 0;
  }
  u64 number = (u64)place / sizeof(Wide);
  number ^= number >> 8 ^ number >> 24;
  return (GLOBAL u32 *)((GLOBAL u8 *)shared->heap + LOCKS_OFFSET) + number % LOCKS;
}

CONVERGENT static inline INLINE Wide change(volatile Wide *place, Action action, Wide compare, Wide value) {
  GLOBAL u32 *lock = lock_of(place);
  Wide old = 0;
  for (u64 left = zluda_amd_wave_mask(); left != 0; left &= left - 1) {
    if (zluda_amd_wave_lane() == (u32)__builtin_ctzl(left)) {
      while (lock != 0 && __scoped_atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE, DEVICE_SCOPE) != 0) {
        __builtin_amdgcn_s_sleep(1);
      }
      if (action != STORE) {
        old = *place;
      }
      u32 is_equal = old.x == compare.x && old.y == compare.y;
      if (action == STORE || action == EXCHANGE || (action == COMPARE && is_equal)) {
        *place = value;
      }
      if (lock != 0) {
        __scoped_atomic_store_n(lock, 0, __ATOMIC_RELEASE, DEVICE_SCOPE);
      }
    }
  }
  return old;
}

CONVERGENT OUTLINE Wide zluda_amd_wide_load(void *place) { return change(place, LOAD, 0, 0); }

CONVERGENT OUTLINE void zluda_amd_wide_store(void *place, Wide value) { change(place, STORE, 0, value); }

CONVERGENT OUTLINE Wide zluda_amd_wide_exchange(void *place, Wide value) { return change(place, EXCHANGE, 0, value); }

CONVERGENT OUTLINE Wide zluda_amd_wide_compare(void *place, Wide compare, Wide value) {
  return change(place, COMPARE, compare, value);
}
