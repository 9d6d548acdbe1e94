// Barriers in the block's own shared memory.

#include "device.h"

#define MBARRIER(name) zluda_lane_mbarrier_##name

#if ON_CPU
// The blocks of a cluster run on one thread, and change places only in calls that wait.
#define PLACE u64 *
#define READ(place) (*(place))
#define REPLACED(place, before, after) (*(place) = (after), 1)
#else
#define PLACE SHARED u64 *
#define SCOPE BLOCK_SCOPE
#endif

#include "mbarrier.h"
