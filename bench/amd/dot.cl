#include "opencl.h"

__kernel void dot(__global const float *a, __global const float *b, __global float *sums, int n)
{
    __local float part[256];
    float sum = 0;
    for (int i = BLOCK_X * THREADS_X + THREAD_X; i < n; i += BLOCKS_X * THREADS_X)
        sum += a[i] * b[i];
    part[THREAD_X] = sum;
    BARRIER();
    for (int half_size = THREADS_X / 2; half_size > 0; half_size /= 2) {
        if (THREAD_X < half_size)
            part[THREAD_X] += part[THREAD_X + half_size];
        BARRIER();
    }
    if (THREAD_X == 0)
        sums[BLOCK_X] = part[0];
}
