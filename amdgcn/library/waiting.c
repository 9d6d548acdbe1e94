// What loops that wait for other threads do in every round.

#include "services.h"

// Rounds between two looks at the host's memory.
#define ROUNDS 256

INLINE void zluda_amd_end_waiting(u32 round) {
  if (round % ROUNDS == 0 && has_failed()) {
    end_wave();
  }
}
