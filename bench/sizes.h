// The sizes of the measured problems.
#pragma once

constexpr int SAXPY_COUNT = 1 << 20;
constexpr int FLOAT4_COUNT = 1 << 18;
constexpr int MATMUL_SIZE = 1024;
constexpr int REDUCTION_COUNT = 1 << 22;
constexpr int MANDELBROT_WIDTH = 768, MANDELBROT_HEIGHT = 512, MANDELBROT_LIMIT = 256;
constexpr int HISTOGRAM_COUNT = 1 << 22, HISTOGRAM_BINS = 256;
constexpr int NBODY_COUNT = 4096;
constexpr float NBODY_SOFTENING = 0.01f;
