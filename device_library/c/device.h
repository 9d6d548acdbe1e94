// What the files of the device library share, those for all targets here and those for AMD GPUs in amdgcn/library. They are
// compiled once for all GPUs, and once for x86-64 processors: no builtin may depend on one of them, and nothing may depend on
// the size of a wave. What a target does otherwise stands below `ON_CPU`, with what it gains by that.
//
// A function that per-thread IR names `zluda.x.y` is `zluda_x_y`. The headers that declare them come from the tables that
// have them: intrinsics.h and lane_operations.h here, intrinsics_amd.h in amdgcn/library. Only functions that a kernel for a
// GPU reaches are linked to it; on the CPU the engine calls them for a lane.

#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef int i32;
typedef long i64;
typedef u64 u64x2 __attribute__((ext_vector_type(2)));

#ifdef __x86_64__
#define ON_CPU 1
#else
#define ON_CPU 0
#endif

#define NAMED(name) __asm__(name)
#define INLINE __attribute__((always_inline))
// Code of GPUs is small rather than fast where lanes seldom come; a processor has room.
#if ON_CPU
#define OUTLINE __attribute__((always_inline))
#else
#define OUTLINE __attribute__((noinline))
#endif
// Who calls it has a part in the result.
#define CONVERGENT __attribute__((convergent))
// The function does not keep the address.
#define LENT __attribute__((noescape))
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))
#define CONSTANT __attribute__((address_space(4)))
#define PRIVATE __attribute__((address_space(5)))

#define BLOCK_SCOPE __MEMORY_SCOPE_WRKGRP
#define DEVICE_SCOPE __MEMORY_SCOPE_DEVICE
#define SYSTEM_SCOPE __MEMORY_SCOPE_SYSTEM

// Bits of floats, and back.
static inline INLINE float float_of(u32 bits) { return __builtin_bit_cast(float, bits); }
static inline INLINE u32 bits_of(float value) { return __builtin_bit_cast(u32, value); }
static inline INLINE double double_of(u64 bits) { return __builtin_bit_cast(double, bits); }
static inline INLINE u64 bits_of_double(double value) { return __builtin_bit_cast(u64, value); }

#include "intrinsics.h"
#include "lane_operations.h"

// Blocks in the cluster, and the place in the shared memory of one of them that another place of shared memory has in
// its block. Both are generic addresses.
#if ON_CPU
// The engine calls for one block of a cluster after the other.
static inline u32 cluster_blocks_here(void) { return 1; }
static inline u64 cluster_place_in(u64 place, u32 rank) { return rank == 0 ? place : 0; }
#else
#include "intrinsics_amd.h"

static inline u32 cluster_blocks_here(void) { return zluda_amd_cluster_blocks(); }
static inline u64 cluster_place_in(u64 place, u32 rank) { return zluda_amd_cluster_place(place, rank); }
#endif
