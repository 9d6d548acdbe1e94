// Barriers in the shared memory of a cluster's blocks.

#include "cluster.h"

IN_CLUSTER(lane_mbarrier_arrive, "lane.mbarrier.arrive");
IN_CLUSTER(lane_mbarrier_arrive_drop, "lane.mbarrier.arrive_drop");
IN_CLUSTER(lane_mbarrier_expect_tx, "lane.mbarrier.expect_tx");
IN_CLUSTER(lane_mbarrier_complete_tx, "lane.mbarrier.complete_tx");

#define MBARRIER(name) in_cluster_lane_mbarrier_##name
#define PLACE GLOBAL u64 *
#define SCOPE DEVICE_SCOPE

#include "mbarrier.h"
