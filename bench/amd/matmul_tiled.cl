#include "opencl.h"

__kernel __attribute__((amdgpu_flat_work_group_size(1, 256))) void
matmul_tiled(__global const float *a, __global const float *b, __global float *c, int n)
{
    __local float tile_a[16][16], tile_b[16][16];
    int x = THREAD_X, y = THREAD_Y;
    int row = BLOCK_Y * 16 + y, column = BLOCK_X * 16 + x;
    float sum = 0;
    for (int tile = 0; tile < n; tile += 16) {
        tile_a[y][x] = a[row * n + tile + x];
        tile_b[y][x] = b[(tile + y) * n + column];
        BARRIER();
        for (int k = 0; k < 16; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        BARRIER();
    }
    c[row * n + column] = sum;
}
