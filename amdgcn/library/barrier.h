// Barriers in software: what waiting for one consists of.

#pragma once

#include "wave.h"

// The warp arrives, as 32 threads, whichever of its lanes are there: all that have not exited. `is_true` is a lane's
// predicate, `waits` tells whether the warp waits for the others. The result names the barrier's phase.
CONVERGENT u64 barrier_come(u32 id, u32 threads, u32 is_true, u32 waits) NAMED("zluda.barrier.come");
// Whether that phase is over.
u32 barrier_is_over(u64 ticket) NAMED("zluda.amd.barrier.is_over");
// How many predicates were true in the phase, and in the high half how many were not.
u64 barrier_result(u64 ticket) NAMED("zluda.amd.barrier.result");
