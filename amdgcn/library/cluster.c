// Where blocks stand in launches in clusters, and their shared memory, which is global: a window for each block.
// An address in shared memory is an offset from the window of the cluster's first block.

#include "cluster.h"

// ---- places

enum axis { X, Y, Z };

static inline INLINE u32 size(u32 axis) { return cluster_launch()->cluster[axis]; }
static inline INLINE u32 clusters(u32 axis) { return cluster_launch()->grid[axis] / size(axis); }

static inline INLINE u32 block_place(u32 axis) {
  u32 cluster = cluster_launch()->first + __builtin_amdgcn_workgroup_id_y(), block = cluster_rank();
  switch (axis) {
  case X: return cluster % clusters(X) * size(X) + block % size(X);
  case Y: return cluster / clusters(X) % clusters(Y) * size(Y) + block / size(X) % size(Y);
  default: return cluster / clusters(X) / clusters(Y) * size(Z) + block / size(X) / size(Y);
  }
}

u32 ctaid_x(void) IN_CLUSTER("ctaid.x");
u32 ctaid_x(void) { return block_place(X); }
u32 ctaid_y(void) IN_CLUSTER("ctaid.y");
u32 ctaid_y(void) { return block_place(Y); }
u32 ctaid_z(void) IN_CLUSTER("ctaid.z");
u32 ctaid_z(void) { return block_place(Z); }

u32 nctaid_x(void) IN_CLUSTER("nctaid.x");
u32 nctaid_x(void) { return cluster_launch()->grid[X]; }
u32 nctaid_y(void) IN_CLUSTER("nctaid.y");
u32 nctaid_y(void) { return cluster_launch()->grid[Y]; }
u32 nctaid_z(void) IN_CLUSTER("nctaid.z");
u32 nctaid_z(void) { return cluster_launch()->grid[Z]; }

u32 cluster_nctaid_x(void) IN_CLUSTER("cluster_nctaid.x");
u32 cluster_nctaid_x(void) { return cluster_launch()->cluster[X]; }
u32 cluster_nctaid_y(void) IN_CLUSTER("cluster_nctaid.y");
u32 cluster_nctaid_y(void) { return cluster_launch()->cluster[Y]; }
u32 cluster_nctaid_z(void) IN_CLUSTER("cluster_nctaid.z");
u32 cluster_nctaid_z(void) { return cluster_launch()->cluster[Z]; }

u32 cluster_nctarank(void) IN_CLUSTER("cluster_nctarank");
u32 cluster_nctarank(void) { return cluster_blocks(); }

u32 is_explicit(void) IN_CLUSTER("is_explicit_cluster");
u32 is_explicit(void) { return 1; }

u32 dynamic_size(void) IN_CLUSTER("dynamic_smem_size");
u32 dynamic_size(void) { return cluster_launch()->dynamic_shared; }
u32 total_size(void) IN_CLUSTER("total_smem_size");
u32 total_size(void) { return cluster_launch()->total_shared; }

u32 blocks(void) IN_CLUSTER("amd.cluster.blocks");
u32 blocks(void) { return cluster_blocks(); }

// ---- windows

// Of the cluster's first block.
static inline INLINE GLOBAL u8 *windows(void) {
  const CONSTANT ClusterLaunch *launch = cluster_launch();
  u64 before = (u64)__builtin_amdgcn_workgroup_id_y() * cluster_blocks();
  return launch->windows + (before << launch->window_shift);
}

static inline INLINE u32 offset_in_window(u32 address) {
  return address & ((1u << cluster_launch()->window_shift) - 1);
}

static inline INLINE u32 address_in(u32 rank, u32 offset) { return rank << cluster_launch()->window_shift | offset; }

static inline INLINE u64 distance(const void *pointer, const GLOBAL u8 *from) { return (u64)pointer - (u64)from; }

// The memory at an address, and the address of memory.
GLOBAL u8 *window_place(u32 address) NAMED("zluda.amd.window.place") INLINE;
GLOBAL u8 *window_place(u32 address) { return windows() + address; }
u32 window_address(const void *place) NAMED("zluda.amd.window.address") INLINE;
u32 window_address(const void *place) { return (u32)distance(place, windows()); }

// The address of the own window.
u32 window_own(void) NAMED("zluda.amd.window.own") INLINE;
u32 window_own(void) { return address_in(cluster_rank(), 0); }

void *generic_place(u32 address) IN_CLUSTER("amd.shared_place");
void *generic_place(u32 address) { return (void *)(windows() + address); }
u32 own_window_address(u32 offset) IN_CLUSTER("amd.own_address");
u32 own_window_address(u32 offset) { return address_in(cluster_rank(), offset_in_window(offset)); }

// The same place in the window of another block.
u64 mapa(u64 address, u32 rank) IN_CLUSTER("mapa");
u64 mapa(u64 address, u32 rank) { return address_in(rank, offset_in_window((u32)address)); }
u64 cluster_place(u64 place, u32 rank) IN_CLUSTER("amd.cluster.place");
u64 cluster_place(u64 place, u32 rank) {
  GLOBAL u8 *first = windows();
  return (u64)first + address_in(rank, offset_in_window((u32)distance((const void *)place, first)));
}

u32 getctarank(u64 address) IN_CLUSTER("getctarank");
u32 getctarank(u64 address) { return (u32)address >> cluster_launch()->window_shift; }

_Bool is_own(const void *place) IN_CLUSTER("isspacep.shared");
_Bool is_own(const void *place) { return distance(place, windows() + window_own()) >> cluster_launch()->window_shift == 0; }
static inline INLINE _Bool is_in_cluster(const void *place) {
  return distance(place, windows()) >> cluster_launch()->window_shift < cluster_blocks();
}
_Bool is_shared(const void *place) IN_CLUSTER("isspacep.shared.cluster");
_Bool is_shared(const void *place) { return is_in_cluster(place); }
_Bool is_local(const void *place) NAMED("zluda.isspacep.local");
_Bool is_global(const void *place) IN_CLUSTER("isspacep.global");
_Bool is_global(const void *place) { return !is_local(place) && !is_in_cluster(place); }
