#include "opencl.h"

__kernel void hash(__global const uint *keys, __global uint *slots, uint n, uint size, int rounds)
{
    uint i = BLOCK_X * THREADS_X + THREAD_X;
    if (i >= n)
        return;
    uint h = keys[i];
    for (int round = 0; round < rounds; round++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h = (h << 13) | (h >> 19);
        h += __builtin_popcount(h) * 0xc2b2ae35u;
    }
    slots[i] = h % size;
}
