// What lies at the beginning of the heap's memory, as `amd_abi::services` says: it is zero at first.

#pragma once

// Of operations that hardware does not have.
#define LOCKS_OFFSET 512
#define LOCKS 256

#define HEAP_HEADER (LOCKS_OFFSET + 4 * LOCKS)

// As `amd_abi::services` asserts.
_Static_assert(HEAP_HEADER == 1536, "HEAP_HEADER");
