// Errors of kernels, and records for the host.

#include "services.h"

void zluda_amd_set_error(u32 error) {
  GLOBAL Services *shared = services();
  if (shared != 0) {
    u32 none = 0;
    // Who sees the error sees the records before it.
    __scoped_atomic_compare_exchange_n(&shared->error, &none, error, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED,
                                       SYSTEM_SCOPE);
  }
}

// The driver ends the context when it sees the error.
void zluda_amd_stop(u32 error) {
  zluda_amd_set_error(error);
  end_wave();
}

OUTLINE __attribute__((cold)) void zluda_trap(void) { zluda_amd_stop(ERROR_TRAP); }

OUTLINE __attribute__((cold)) u64 zluda_lane_misaligned(u64 at, u64 bytes, u64 thread, u64 line) {
  (void)at, (void)bytes, (void)thread, (void)line;
  zluda_amd_stop(ERROR_MISALIGNED);
  return 0;
}

// Room for a record of as many bytes besides its header; false where there is none.
OUTLINE u32 zluda_amd_record_begin(void *place, u64 bytes) {
  Record *record = place;
  GLOBAL Services *shared = services();
  if (shared == 0) {
    return 0;
  }
  bytes = 8 + (bytes + 7) / 8 * 8;
  u64 most = shared->ring_bytes;
  u64 written = __scoped_atomic_load_n(&shared->ring_written, __ATOMIC_RELAXED, SYSTEM_SCOPE);
  do {
    u64 read = __scoped_atomic_load_n(&shared->ring_read, __ATOMIC_ACQUIRE, SYSTEM_SCOPE);
    if (written + bytes - read > most) {
      return 0;
    }
  } while (!__scoped_atomic_compare_exchange_n(&shared->ring_written, &written, written + bytes, 0,
                                               __ATOMIC_RELAXED, __ATOMIC_RELAXED, SYSTEM_SCOPE));
  record->words = (GLOBAL u64 *)((GLOBAL u8 *)shared + RING_OFFSET);
  record->mask = most / 8 - 1;
  record->first = written;
  record->at = written + 8;
  record->word = 0;
  return 1;
}
