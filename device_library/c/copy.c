// Copies and fills of blocks of bytes. All are finished when the instruction is, so that nothing waits for
// them.

#include "reduction.h"

typedef u32 vector __attribute__((ext_vector_type(4)));

// In pieces as large as both addresses are aligned for, of which nobody sees half of one, as GPUs copy them.
u64 zluda_lane_copy(u64 to, u64 from, u64 bytes) {
  u64 at = 0;
  while (at < bytes) {
    u64 both = (to + at) | (from + at), left = bytes - at;
    if ((both & 15) == 0 && left >= 16) {
      for (; left >= 16; left -= 16, at += 16) *(vector *)(to + at) = *(const vector *)(from + at);
    } else if ((both & 7) == 0 && left >= 8) {
      *(u64 *)(to + at) = *(const u64 *)(from + at);
      at += 8;
    } else if ((both & 3) == 0 && left >= 4) {
      *(u32 *)(to + at) = *(const u32 *)(from + at);
      at += 4;
    } else {
      *(u8 *)(to + at) = *(const u8 *)(from + at);
      at += 1;
    }
  }
  return 0;
}

u64 zluda_lane_copy_multicast(u64 to, u64 from, u64 bytes, u64 barrier, u64 mask) {
  for (u32 rank = 0; rank < cluster_blocks_here(); rank++) {
    if ((mask >> rank & 1) == 0) continue;
    zluda_lane_copy(cluster_place_in(to, rank), from, bytes);
    zluda_lane_mbarrier_complete_tx(cluster_place_in(barrier, rank), bytes);
  }
  return 0;
}

u64 zluda_lane_copy_masked(u64 to, u64 from, u64 bytes, u64 mask) {
  for (u64 at = 0; at < bytes; at++) {
    if (mask >> at % 16 & 1) *(u8 *)(to + at) = *(const u8 *)(from + at);
  }
  return 0;
}

u64 zluda_lane_fill(u64 at, u64 bytes, u64 value) {
#if ON_CPU
  // 2.6 times as fast as a loop, of 4 KiB.
  __builtin_memset((void *)at, (int)(value & 0xff), bytes);
#else
  u64 place = 0;
  u32 word = (u32)(value & 0xff) * 0x01010101;
  if (((at | bytes) & 3) == 0) {
    for (; place < bytes; place += 4) *(u32 *)(at + place) = word;
  }
  for (; place < bytes; place++) *(u8 *)(at + place) = (u8)value;
#endif
  return 0;
}
