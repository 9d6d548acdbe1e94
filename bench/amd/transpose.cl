#include "opencl.h"

__kernel __attribute__((amdgpu_flat_work_group_size(1, 256))) void
transpose(__global const float *in, __global float *out, int width, int height)
{
    __local float tile[32][33];
    int x = BLOCK_X * 32 + THREAD_X, y = BLOCK_Y * 32 + THREAD_Y;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height)
            tile[THREAD_Y + j][THREAD_X] = in[(y + j) * width + x];
    BARRIER();
    x = BLOCK_Y * 32 + THREAD_X;
    y = BLOCK_X * 32 + THREAD_Y;
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[THREAD_X][THREAD_Y + j];
}
