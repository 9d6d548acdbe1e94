// `malloc` and `free` of kernels: blocks with their sizes at both ends, in lists by powers of two. One lane at a time
// works on the heap, under a lock.

#include "heap.h"
#include "services.h"
#include "device.h"

#define ALIGN 16
#define HEADER 32
#define SMALLEST (HEADER + 16)
#define BINS 48
#define TAG_SHIFT 48
#define USED 0xa110ul
#define FREE 0xf4eeul
#define SIZE_MASK ((1ul << TAG_SHIFT) - 1)

// The header is before the memory that a program gets; the links are within it, of free blocks only.
typedef struct Block {
  // Header included, with a tag above.
  u64 size;
  u64 size_before;
  u64 unused;
  // The program's: nvcc's `new T[n]` keeps the number of elements before what `malloc` returns, and asks for no room.
  u64 elements;
  GLOBAL struct Block *next;
  GLOBAL struct Block *before;
} Block;

// At the beginning of the heap; zero at first.
typedef struct Heap {
  u32 lock;
  u32 is_ready;
  GLOBAL Block *bins[BINS];
} Heap;

_Static_assert(sizeof(Heap) <= LOCKS_OFFSET, "Heap");

static inline INLINE GLOBAL Block *behind(GLOBAL Block *block, u64 bytes) {
  return (GLOBAL Block *)((GLOBAL u8 *)block + bytes);
}

static inline INLINE u64 size_of(GLOBAL Block *block) { return block->size & SIZE_MASK; }

static inline INLINE void set(GLOBAL Block *block, u64 size, u64 tag) { block->size = size | tag << TAG_SHIFT; }

static inline INLINE u32 bin_of(u64 size) {
  u32 bin = 63 - (u32)__builtin_clzl(size) - 4;
  return bin < BINS ? bin : BINS - 1;
}

static void insert(GLOBAL Heap *heap, GLOBAL Block *block) {
  u32 bin = bin_of(size_of(block));
  GLOBAL Block *first = heap->bins[bin];
  block->next = first;
  block->before = 0;
  if (first != 0) {
    first->before = block;
  }
  heap->bins[bin] = block;
}

static void take_out(GLOBAL Heap *heap, GLOBAL Block *block) {
  if (block->before != 0) {
    block->before->next = block->next;
  } else {
    heap->bins[bin_of(size_of(block))] = block->next;
  }
  if (block->next != 0) {
    block->next->before = block->before;
  }
}

// One free block, between the head and a block without memory that is never given back.
static void prepare(GLOBAL Heap *heap, u64 bytes) {
  heap->is_ready = 1;
  if (bytes < HEAP_HEADER + SMALLEST + HEADER) {
    return;
  }
  u64 size = (bytes - HEAP_HEADER - HEADER) / ALIGN * ALIGN;
  GLOBAL Block *block = (GLOBAL Block *)((GLOBAL u8 *)heap + HEAP_HEADER);
  set(block, size, FREE);
  block->size_before = 0;
  GLOBAL Block *last = behind(block, size);
  set(last, HEADER, USED);
  last->size_before = size;
  insert(heap, block);
}

// Makes two blocks of one that is in no list; the second is returned.
static GLOBAL Block *split(GLOBAL Block *block, u64 size) {
  u64 whole = size_of(block);
  GLOBAL Block *rest = behind(block, size);
  behind(block, whole)->size_before = whole - size;
  set(rest, whole - size, FREE);
  rest->size_before = size;
  set(block, size, FREE);
  return rest;
}

static u64 take(GLOBAL Heap *heap, u64 bytes, u64 alignment) {
  if (bytes > SIZE_MASK / 4 || alignment > SIZE_MASK / 4) {
    return 0;
  }
  u64 size = HEADER + ((bytes == 0 ? 1 : bytes) + ALIGN - 1) / ALIGN * ALIGN;
  // Blocks lie at multiples of ALIGN. For more, what is before the next multiple is a block of its own.
  u64 room = alignment > ALIGN ? size + SMALLEST + alignment : size;
  GLOBAL Block *block = 0;
  for (u32 bin = bin_of(room); bin < BINS && block == 0; bin++) {
    block = heap->bins[bin];
    while (block != 0 && size_of(block) < room) {
      block = block->next;
    }
  }
  if (block == 0) {
    return 0;
  }
  take_out(heap, block);
  u64 memory = (u64)block + HEADER;
  if ((memory & (alignment - 1)) != 0) {
    u64 aligned = (memory + SMALLEST + alignment - 1) & -alignment;
    GLOBAL Block *before = block;
    block = split(before, aligned - memory);
    insert(heap, before);
  }
  u64 whole = size_of(block);
  if (whole - size >= SMALLEST) {
    insert(heap, split(block, size));
    whole = size;
  }
  set(block, whole, USED);
  return (u64)block + HEADER;
}

// False where the address is none that `take` gave.
static u32 give(GLOBAL Heap *heap, u64 heap_bytes, u64 address) {
  u64 start = (u64)heap + HEAP_HEADER + HEADER;
  if (address < start || address >= (u64)heap + heap_bytes || address % ALIGN != 0) {
    return 0;
  }
  GLOBAL Block *block = (GLOBAL Block *)(address - HEADER);
  if (block->size >> TAG_SHIFT != USED || size_of(block) < SMALLEST) {
    return 0;
  }
  u64 size = size_of(block);
  GLOBAL Block *after = behind(block, size);
  if (after->size >> TAG_SHIFT == FREE) {
    take_out(heap, after);
    size += size_of(after);
  }
  if (block->size_before != 0) {
    GLOBAL Block *before = behind(block, -block->size_before);
    if (before->size >> TAG_SHIFT == FREE) {
      take_out(heap, before);
      // What is given back twice is found by this.
      block->size = 0;
      size += size_of(before);
      block = before;
    }
  }
  set(block, size, FREE);
  behind(block, size)->size_before = size;
  insert(heap, block);
  return 1;
}

// One lane after the other, for a lane that waits for the lock must not keep the one that has it from going on. What
// the loop goes on by is the same for all lanes, so that no compiler takes the work out of it.
static inline INLINE u64 one_by_one(u64 argument, u64 alignment) {
  GLOBAL Services *shared = services();
  if (shared == 0 || shared->heap == 0) {
    return 0;
  }
  GLOBAL Heap *heap = (GLOBAL Heap *)shared->heap;
  u64 heap_bytes = shared->heap_bytes;
  u64 result = 0;
  for (u64 left = zluda_amd_wave_mask(); left != 0; left &= left - 1) {
    if (zluda_amd_wave_lane() == (u32)__builtin_ctzl(left)) {
      while (__scoped_atomic_exchange_n(&heap->lock, 1, __ATOMIC_ACQUIRE, DEVICE_SCOPE) != 0) {
        __builtin_amdgcn_s_sleep(2);
      }
      if (!heap->is_ready) {
        prepare(heap, heap_bytes);
      }
      result = alignment == 0 ? give(heap, heap_bytes, argument) : take(heap, argument, alignment);
      __scoped_atomic_store_n(&heap->lock, 0, __ATOMIC_RELEASE, DEVICE_SCOPE);
    }
  }
  return result;
}

OUTLINE void *zluda_malloc(u64 bytes, u64 alignment) {
  u32 is_power = alignment != 0 && (alignment & (alignment - 1)) == 0;
  return is_power ? (void *)one_by_one(bytes, alignment) : 0;
}

OUTLINE void zluda_free(void *memory) {
  if (memory != 0 && !one_by_one((u64)memory, 0)) {
    zluda_amd_stop(ERROR_TRAP);
  }
}
