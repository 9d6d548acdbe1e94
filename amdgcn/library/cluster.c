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

IN_CLUSTER(ctaid_x, "ctaid.x");
INLINE u32 in_cluster_ctaid_x(void) { return block_place(X); }
IN_CLUSTER(ctaid_y, "ctaid.y");
INLINE u32 in_cluster_ctaid_y(void) { return block_place(Y); }
IN_CLUSTER(ctaid_z, "ctaid.z");
INLINE u32 in_cluster_ctaid_z(void) { return block_place(Z); }

IN_CLUSTER(nctaid_x, "nctaid.x");
INLINE u32 in_cluster_nctaid_x(void) { return cluster_launch()->grid[X]; }
IN_CLUSTER(nctaid_y, "nctaid.y");
INLINE u32 in_cluster_nctaid_y(void) { return cluster_launch()->grid[Y]; }
IN_CLUSTER(nctaid_z, "nctaid.z");
INLINE u32 in_cluster_nctaid_z(void) { return cluster_launch()->grid[Z]; }

IN_CLUSTER(cluster_nctaid_x, "cluster_nctaid.x");
INLINE u32 in_cluster_cluster_nctaid_x(void) { return cluster_launch()->cluster[X]; }
IN_CLUSTER(cluster_nctaid_y, "cluster_nctaid.y");
INLINE u32 in_cluster_cluster_nctaid_y(void) { return cluster_launch()->cluster[Y]; }
IN_CLUSTER(cluster_nctaid_z, "cluster_nctaid.z");
INLINE u32 in_cluster_cluster_nctaid_z(void) { return cluster_launch()->cluster[Z]; }

IN_CLUSTER(cluster_nctarank, "cluster_nctarank");
INLINE u32 in_cluster_cluster_nctarank(void) { return cluster_blocks(); }

IN_CLUSTER(is_explicit_cluster, "is_explicit_cluster");
INLINE u32 in_cluster_is_explicit_cluster(void) { return 1; }

IN_CLUSTER(dynamic_smem_size, "dynamic_smem_size");
INLINE u32 in_cluster_dynamic_smem_size(void) { return cluster_launch()->dynamic_shared; }

IN_CLUSTER(amd_cluster_blocks, "amd.cluster.blocks");
INLINE u32 in_cluster_amd_cluster_blocks(void) { return cluster_blocks(); }

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
INLINE GLOBAL void *zluda_amd_window_place(u32 address) { return windows() + address; }
INLINE u32 zluda_amd_window_address(const void *place) { return (u32)distance(place, windows()); }

// The address of the own window.
INLINE u32 zluda_amd_window_own(void) { return address_in(cluster_rank(), 0); }

IN_CLUSTER(amd_shared_place, "amd.shared_place");
INLINE void *in_cluster_amd_shared_place(u32 address) { return (void *)(windows() + address); }
IN_CLUSTER(amd_own_address, "amd.own_address");
INLINE u32 in_cluster_amd_own_address(u32 offset) { return address_in(cluster_rank(), offset_in_window(offset)); }

// The same place in the window of another block.
IN_CLUSTER(mapa, "mapa");
INLINE u64 in_cluster_mapa(u64 address, u32 rank) { return address_in(rank, offset_in_window((u32)address)); }
IN_CLUSTER(amd_cluster_place, "amd.cluster.place");
INLINE u64 in_cluster_amd_cluster_place(u64 place, u32 rank) {
  GLOBAL u8 *first = windows();
  return (u64)first + address_in(rank, offset_in_window((u32)distance((const void *)place, first)));
}

IN_CLUSTER(getctarank, "getctarank");
INLINE u32 in_cluster_getctarank(u64 address) { return (u32)address >> cluster_launch()->window_shift; }

IN_CLUSTER(isspacep_shared, "isspacep.shared");
INLINE _Bool in_cluster_isspacep_shared(const void *place) {
  return distance(place, windows() + zluda_amd_window_own()) >> cluster_launch()->window_shift == 0;
}
static inline INLINE _Bool is_in_cluster(const void *place) {
  return distance(place, windows()) >> cluster_launch()->window_shift < cluster_blocks();
}
IN_CLUSTER(isspacep_shared_cluster, "isspacep.shared.cluster");
INLINE _Bool in_cluster_isspacep_shared_cluster(const void *place) { return is_in_cluster(place); }
IN_CLUSTER(isspacep_global, "isspacep.global");
INLINE _Bool in_cluster_isspacep_global(const void *place) { return !zluda_isspacep_local(place) && !is_in_cluster(place); }
