// What the files of the device library share. They are compiled once for all GPUs: no builtin may depend on one,
// and nothing here may depend on the size of a wave.
//
// A function that per-thread IR names `zluda.x.y` is declared with NAMED("zluda.x.y"). Only functions that a
// kernel reaches are linked to it.

#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef int i32;
typedef long i64;

#define NAMED(name) __asm__(name)
#define INLINE __attribute__((always_inline))
#define OUTLINE __attribute__((noinline))
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

// The memory at an address in shared memory, and the address of an offset in the block's own.
void *shared_place(u32 address) NAMED("zluda.amd.shared_place");
u32 own_address(u32 offset) NAMED("zluda.amd.own_address");
// Blocks in the cluster, and the place in the shared memory of one of them that another place of shared memory has in
// its block. Both are generic addresses.
u32 cluster_blocks_here(void) NAMED("zluda.amd.cluster.blocks");
u64 cluster_place_in(u64 place, u32 rank) NAMED("zluda.amd.cluster.place");
