#include "opencl.h"

__kernel void sort(__global uint *values, uint distance, uint run)
{
    uint i = BLOCK_X * THREADS_X + THREAD_X, other = i ^ distance;
    if (other <= i)
        return;
    uint a = values[i], b = values[other];
    if ((a > b) == ((i & run) == 0)) {
        values[i] = b;
        values[other] = a;
    }
}
