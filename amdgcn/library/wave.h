// What the prelude says of the wave.

#pragma once

#include "device.h"

// The lanes that run now.
CONVERGENT u64 wave_mask(void) NAMED("zluda.amd.wave_mask");
// The number of the lane in its wave.
u32 wave_lane(void) NAMED("zluda.amd.wave_lane");

// The lanes of the wave for which something is true.
CONVERGENT u64 wave_ballot(_Bool it) NAMED("zluda.amd.wave_ballot");
// The same of the own warp, the number of the lane in it, and what a lane of it has.
CONVERGENT u32 warp_ballot(_Bool it) NAMED("zluda.amd.ballot");
u32 warp_lane(void) NAMED("zluda.amd.lane");
CONVERGENT u32 warp_read(u32 value, u32 lane) NAMED("zluda.amd.read_lane");
