// Launches in clusters: `amd_abi::cluster_launch`, which says what the fields are.

#pragma once

#include "device.h"
#include "intrinsics_amd.h"

typedef struct ClusterLaunch {
  GLOBAL u8 *windows;
  GLOBAL u64 *barriers;
  u32 grid[3];
  u32 cluster[3];
  u32 first;
  u32 window_shift;
  u32 dynamic_shared;
} ClusterLaunch;

// As `amd_abi::cluster_launch` asserts.
_Static_assert(sizeof(ClusterLaunch) == 56, "size");
_Static_assert(__builtin_offsetof(ClusterLaunch, grid) == 16, "grid");
_Static_assert(__builtin_offsetof(ClusterLaunch, cluster) == 28, "cluster");
_Static_assert(__builtin_offsetof(ClusterLaunch, first) == 40, "first");
_Static_assert(__builtin_offsetof(ClusterLaunch, window_shift) == 44, "window_shift");
_Static_assert(__builtin_offsetof(ClusterLaunch, dynamic_shared) == 48, "dynamic_shared");

// Of this launch.
static inline INLINE const CONSTANT ClusterLaunch *cluster_launch(void) { return zluda_amd_cluster_launch(); }

// Declares what takes the place of `zluda_<identifier>`, `zluda.<name>`, in kernels for launches in clusters.
#define IN_CLUSTER(identifier, name) \
  __typeof__(zluda_##identifier) in_cluster_##identifier NAMED("zluda.amd.in_cluster." name)

// Blocks in the cluster, and the number of this one.
static inline INLINE u32 cluster_blocks(void) {
  const CONSTANT ClusterLaunch *launch = cluster_launch();
  return launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
}
static inline INLINE u32 cluster_rank(void) { return __builtin_amdgcn_workgroup_id_x(); }
