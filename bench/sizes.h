// The sizes of the measured problems: a run takes 0.1 to 100 milliseconds on one processor.
#pragma once

constexpr int SAXPY_COUNT = 1 << 21;
constexpr int FLOAT4_COUNT = 1 << 19;
constexpr int MATMUL_SIZE = 1024;
constexpr int REDUCTION_COUNT = 1 << 22;
constexpr int SCAN_COUNT = 1 << 20;
constexpr int SORT_COUNT = 1 << 18;
constexpr int BITONIC_COUNT = 1 << 16;
constexpr int TRANSPOSE_SIZE = 1024;
constexpr int PLANE_WIDTH = 1024, PLANE_HEIGHT = 1024;
constexpr int SPACE_SIZE = 96;
constexpr int CONVOLUTION_WIDTH = 1024, CONVOLUTION_HEIGHT = 512, CONVOLUTION_RADIUS = 2;
constexpr int SPARSE_ROWS = 1 << 14, SPARSE_LONGEST = 64;
constexpr int MANDELBROT_WIDTH = 768, MANDELBROT_HEIGHT = 512, MANDELBROT_LIMIT = 256;
constexpr int HISTOGRAM_COUNT = 1 << 22, HISTOGRAM_BINS = 256;
constexpr int NBODY_COUNT = 4096;
constexpr float NBODY_SOFTENING = 0.01f;
constexpr int LAYER_ROWS = 1024, LAYER_LENGTH = 1024;
constexpr int HALF_COUNT = 1 << 20;
constexpr int TABLE_ROWS = 1 << 14, TABLE_WIDTH = 128, TOKENS = 1 << 13;
constexpr int TOP_ROWS = 256, TOP_LENGTH = 4096, TOP = 8;
constexpr int HEADS = 4, SEQUENCE = 512, HEAD_SIZE = 64, KEYS_A_STEP = 32;
constexpr int QUANTISED_ROWS = 1024, QUANTISED_COLUMNS = 4096, QUANTISED_BLOCK = 32;
constexpr int DP4A_THREADS = 1 << 14, DP4A_STEPS = 1024;
constexpr int FFT_SIZE = 1024, FFT_COUNT = 256;
constexpr int MESSAGES = 1 << 13;
constexpr int OPTIONS = 1 << 18;
constexpr int PATHS = 1 << 14, PATH_STEPS = 32;
constexpr int TEXT_LENGTH = 1 << 21, PATTERN_LENGTH = 8;
constexpr int LIFE_SIZE = 1024;
constexpr int SORTED_COUNT = 1 << 18, QUERIES = 1 << 17;
constexpr int ATOMICS = 1 << 20, ATOMIC_PLACES = 1 << 14;
constexpr int LOCAL_THREADS = 1 << 14, LOCAL_VALUES = 64, LOCAL_BINS = 16;
constexpr int PEAK_THREADS = 1 << 14, PEAK_STEPS = 512, PEAK_CHAINS = 8;
