// Launches in clusters: `amd_abi::cluster_launch`, which says what the fields are.

#pragma once

#include "wave.h"

typedef struct ClusterLaunch {
  GLOBAL u8 *windows;
  GLOBAL u64 *barriers;
  u32 grid[3];
  u32 cluster[3];
  u32 first;
  u32 window_shift;
  u32 dynamic_shared;
  u32 total_shared;
} ClusterLaunch;

// As `amd_abi::cluster_launch` asserts.
_Static_assert(sizeof(ClusterLaunch) == 56, "size");
_Static_assert(__builtin_offsetof(ClusterLaunch, grid) == 16, "grid");
_Static_assert(__builtin_offsetof(ClusterLaunch, cluster) == 28, "cluster");
_Static_assert(__builtin_offsetof(ClusterLaunch, first) == 40, "first");
_Static_assert(__builtin_offsetof(ClusterLaunch, window_shift) == 44, "window_shift");
_Static_assert(__builtin_offsetof(ClusterLaunch, dynamic_shared) == 48, "dynamic_shared");
_Static_assert(__builtin_offsetof(ClusterLaunch, total_shared) == 52, "total_shared");

// Of this launch.
const CONSTANT ClusterLaunch *cluster_launch(void) NAMED("zluda.amd.cluster_launch");

// What takes the place of `zluda.<name>` in kernels for launches in clusters.
#define IN_CLUSTER(name) NAMED("zluda.amd.in_cluster." name) INLINE

// Blocks in the cluster, and the number of this one.
static inline INLINE u32 cluster_blocks(void) {
  const CONSTANT ClusterLaunch *launch = cluster_launch();
  return launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
}
static inline INLINE u32 cluster_rank(void) { return __builtin_amdgcn_workgroup_id_x(); }
