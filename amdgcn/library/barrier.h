// Barriers in software: what waiting for one consists of.

#pragma once

#include "device.h"
#include "intrinsics_amd.h"

// `zluda_barrier_come`: the warp arrives, as 32 threads, whichever of its lanes are there: all that have not exited.
// `is_true` is a lane's predicate, `waits` tells whether the warp waits for the others. The result names the barrier's phase.
