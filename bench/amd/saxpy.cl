#include "opencl.h"

__kernel void saxpy(int n, float a, __global const float *x, __global float *y)
{
    int i = BLOCK_X * THREADS_X + THREAD_X;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
