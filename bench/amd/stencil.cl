#include "opencl.h"

__kernel void stencil(__global const float *in, __global float *out, int width, int height, float rate)
{
    int x = BLOCK_X * THREADS_X + THREAD_X, y = BLOCK_Y * THREADS_Y + THREAD_Y;
    if (x <= 0 || y <= 0 || x >= width - 1 || y >= height - 1)
        return;
    __global const float *at = in + y * width + x;
    float around = at[-1] + at[1] + at[-width] + at[width];
    out[y * width + x] = at[0] + rate * (around - 4 * at[0]);
}
