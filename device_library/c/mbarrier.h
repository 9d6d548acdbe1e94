// Barriers in shared memory that count arrivals and bytes; the words are those of `simt_abi::mbarrier`. Who includes this
// says what it is for: MBARRIER(name) names a function, PLACE is the type of a pointer to the words, and SCOPE that
// of their atomic operations, or READ and REPLACED are what takes the place of these.

#include "device.h"

#define COUNT_BITS 20
#define TX_BITS 21
#define EXPECTED_SHIFT 20
#define TX_SHIFT 40
#define PARITY_SHIFT 63

#ifdef SCOPE
#define READ(place) __scoped_atomic_load_n(place, __ATOMIC_RELAXED, SCOPE)
#define REPLACED(place, before, after) \
  __scoped_atomic_compare_exchange_n(place, &before, after, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED, SCOPE)
#endif

static const u64 COUNT = (1ul << COUNT_BITS) - 1;
static const u64 TX = (1ul << TX_BITS) - 1;

// Takes arrivals and expected arrivals away, adds bytes, and begins the next phase if nothing is left to wait for.
// Returns the word before.
static inline INLINE u64 change(u64 at, u64 arrivals, u64 dropped, u64 bytes) {
  PLACE place = (PLACE)(u64 *)at;
  u64 before = READ(place);
  u64 after;
  do {
    u64 expected = ((before >> EXPECTED_SHIFT) - dropped) & COUNT;
    u64 pending = (before - arrivals) & COUNT;
    u64 tx = ((before >> TX_SHIFT) + bytes) & TX;
    u64 parity = before >> PARITY_SHIFT;
    if (pending == 0 && tx == 0) {
      pending = expected;
      parity ^= 1;
    }
    after = pending | expected << EXPECTED_SHIFT | tx << TX_SHIFT | parity << PARITY_SHIFT;
  } while (!REPLACED(place, before, after));
  return before;
}

u64 MBARRIER(arrive)(u64 at, u64 count) { return change(at, count, 0, 0); }

u64 MBARRIER(arrive_drop)(u64 at, u64 count) { return change(at, count, count, 0); }

u64 MBARRIER(expect_tx)(u64 at, u64 bytes) { return change(at, 0, 0, bytes); }

u64 MBARRIER(complete_tx)(u64 at, u64 bytes) { return change(at, 0, 0, -bytes); }
