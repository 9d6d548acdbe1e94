// The roots of one that a transform multiplies by.
#pragma once

#include "bench.h"
#include "sizes.h"

#include <cmath>

// Cosines and sines in turn of all multiples of a turn divided by the size.
inline std::vector<float> roots() {
    std::vector<float> roots;
    for (int i = 0; i < FFT_SIZE; ++i) {
        double angle = -2 * M_PI * i / FFT_SIZE;
        roots.push_back(float(std::cos(angle)));
        roots.push_back(float(std::sin(angle)));
    }
    return roots;
}
