// Errors of kernels, and records for the host.

#include "services.h"

void set_error(u32 error) {
  GLOBAL Services *shared = services();
  if (shared != 0) {
    u32 none = 0;
    __scoped_atomic_compare_exchange_n(&shared->error, &none, error, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       SYSTEM_SCOPE);
  }
}

void stop(u32 error) {
  set_error(error);
  end_wave();
}

OUTLINE __attribute__((cold)) void trap(void) NAMED("zluda.trap");
OUTLINE __attribute__((cold)) void trap(void) { stop(ERROR_TRAP); }

u64 misaligned(u64 at, u64 bytes, u64 thread, u64 line) NAMED("zluda.lane.misaligned");
OUTLINE __attribute__((cold)) u64 misaligned(u64 at, u64 bytes, u64 thread, u64 line) {
  (void)at, (void)bytes, (void)thread, (void)line;
  stop(ERROR_MISALIGNED);
  return 0;
}

OUTLINE u32 record_begin(Record *record, u64 bytes) {
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
