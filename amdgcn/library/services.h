// What kernels and the driver share: `amd_abi::services`, which says what the fields are.

#pragma once

#include "device.h"
#include "intrinsics_amd.h"

typedef struct Services {
  u32 error;
  u32 reserved;
  u64 ring_bytes;
  u64 ring_written;
  u64 ring_read;
  u64 heap;
  u64 heap_bytes;
} Services;

// As `amd_abi::services` asserts.
_Static_assert(__builtin_offsetof(Services, ring_bytes) == 8, "ring_bytes");
_Static_assert(__builtin_offsetof(Services, ring_written) == 16, "ring_written");
_Static_assert(__builtin_offsetof(Services, ring_read) == 24, "ring_read");
_Static_assert(__builtin_offsetof(Services, heap) == 32, "heap");
_Static_assert(__builtin_offsetof(Services, heap_bytes) == 40, "heap_bytes");

#define RING_OFFSET 128

#define ERROR_TRAP 1
#define ERROR_ASSERT 2
#define ERROR_ILLEGAL_ADDRESS 3
#define ERROR_MISALIGNED 4
#define ERROR_ILLEGAL_INSTRUCTION 5

#define RECORD_PRINTF 1
#define RECORD_ASSERT 2

// The services of the launch; null where it has none.
static inline INLINE GLOBAL Services *services(void) { return zluda_amd_services(); }

// Ends the wave. LLVM is not told: what does not return leaves all loops, and is done once all lanes have left them.
static inline INLINE void end_wave(void) { __asm__ volatile("s_endpgm"); }

// Whether a kernel has left an error: the driver ends the context.
static inline INLINE u32 has_failed(void) {
  GLOBAL Services *shared = services();
  return shared != 0 && __scoped_atomic_load_n(&shared->error, __ATOMIC_RELAXED, SYSTEM_SCOPE) != 0;
}

// A record of the ring in the making.
typedef struct Record {
  GLOBAL u64 *words;
  u64 mask;
  u64 first;
  u64 at;
  u64 word;
} Record;


static OUTLINE void record_byte(Record *record, u8 byte) {
  u64 place = record->at & 7;
  record->word |= (u64)byte << (place * 8);
  record->at += 1;
  if (place == 7) {
    record->words[(record->at - 8) >> 3 & record->mask] = record->word;
    record->word = 0;
  }
}

static inline void record_u32(Record *record, u32 word) {
  for (u32 shift = 0; shift < 32; shift += 8) {
    record_byte(record, (u8)(word >> shift));
  }
}

// Fills up to a multiple of 8 bytes.
static inline void record_pad(Record *record) {
  while ((record->at & 7) != 0) {
    record_byte(record, 0);
  }
}

// The host may read the record from now on.
static inline void record_end(Record *record, u32 kind) {
  record_pad(record);
  u64 header = (record->at - record->first) | (u64)kind << 32;
  __scoped_atomic_store_n(&record->words[record->first >> 3 & record->mask], header, __ATOMIC_RELEASE, SYSTEM_SCOPE);
}
