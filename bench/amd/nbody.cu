// The acceleration that all bodies give to each; `bodies` holds position and mass.
extern "C" __global__ void nbody(const float4 *bodies, float4 *accelerations, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 own = bodies[i];
    float x = 0, y = 0, z = 0;
#pragma unroll 1
    for (int j = 0; j < n; j++) {
        float4 other = bodies[j];
        float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
        float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
        float pull = other.w * inverse * inverse * inverse;
        x += dx * pull;
        y += dy * pull;
        z += dz * pull;
    }
    accelerations[i] = make_float4(x, y, z, 0);
}
