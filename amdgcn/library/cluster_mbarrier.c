// Barriers in the shared memory of a cluster's blocks.

#define MBARRIER(name) NAMED("zluda.amd.in_cluster.lane.mbarrier." name)
#define PLACE GLOBAL u64 *
#define SCOPE DEVICE_SCOPE

#include "mbarrier.h"
