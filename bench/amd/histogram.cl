#include "opencl.h"

__kernel void histogram(__global const uchar *data, __global uint *counts, uint n)
{
    __local uint bins[256];
#pragma clang loop unroll(disable) vectorize(disable)
    for (uint i = THREAD_X; i < 256; i += THREADS_X)
        bins[i] = 0;
    BARRIER();
#pragma clang loop unroll(disable) vectorize(disable)
    for (uint i = BLOCK_X * THREADS_X + THREAD_X; i < n; i += BLOCKS_X * THREADS_X)
        __scoped_atomic_fetch_add(&bins[data[i]], 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
    BARRIER();
#pragma clang loop unroll(disable) vectorize(disable)
    for (uint i = THREAD_X; i < 256; i += THREADS_X)
        __scoped_atomic_fetch_add(&counts[i], bins[i], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
