#include "opencl.h"

__kernel void nbody(__global const float4 *bodies, __global float4 *accelerations, int n)
{
    int i = BLOCK_X * THREADS_X + THREAD_X;
    if (i >= n)
        return;
    float4 own = bodies[i];
    float x = 0, y = 0, z = 0;
    for (int j = 0; j < n; j++) {
        float4 other = bodies[j];
        float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
        float inverse = __builtin_amdgcn_rsqf(dx * dx + dy * dy + dz * dz + 1e-6f);
        float pull = other.w * inverse * inverse * inverse;
        x += dx * pull;
        y += dy * pull;
        z += dz * pull;
    }
    accelerations[i] = (float4)(x, y, z, 0);
}
