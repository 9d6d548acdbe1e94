#include "opencl.h"

__kernel __attribute__((amdgpu_flat_work_group_size(1, 512))) void
scan(__global const int *in, __global int *out, __global int *totals, int n)
{
    __local int sums[2][512];
    int thread = THREAD_X, i = BLOCK_X * 512 + thread, from = 0;
    sums[0][thread] = i < n ? in[i] : 0;
    BARRIER();
    for (int distance = 1; distance < 512; distance *= 2) {
        int value = sums[from][thread];
        if (thread >= distance)
            value += sums[from][thread - distance];
        from ^= 1;
        sums[from][thread] = value;
        BARRIER();
    }
    if (i < n)
        out[i] = sums[from][thread];
    if (thread == 511)
        totals[BLOCK_X] = sums[from][511];
}
