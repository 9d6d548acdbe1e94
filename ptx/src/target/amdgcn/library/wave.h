// What the prelude says of the wave.

#pragma once

#include "device.h"

#define CONVERGENT __attribute__((convergent))

// The lanes that run now.
CONVERGENT u64 wave_mask(void) NAMED("zluda.amd.wave_mask");
// The number of the lane in its wave.
u32 wave_lane(void) NAMED("zluda.amd.wave_lane");
