#include "opencl.h"

__kernel void matmul(__global const float *a, __global const float *b, __global float *c, int n)
{
    int row = BLOCK_Y * THREADS_Y + THREAD_Y;
    int column = BLOCK_X * THREADS_X + THREAD_X;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
