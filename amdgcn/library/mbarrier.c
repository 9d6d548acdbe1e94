// Barriers in the block's own shared memory.

#define MBARRIER(name) NAMED("zluda.lane.mbarrier." name)
#define PLACE SHARED u64 *
#define SCOPE BLOCK_SCOPE

#include "mbarrier.h"
