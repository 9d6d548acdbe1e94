// Gravity among all pairs of bodies, through tiles in shared memory; a few steps.
#include "sample.h"

constexpr int TILE = 64;
constexpr float SOFTENING = 0.05f;

__global__ void accelerate(const float4 *bodies, float3 *velocities, int count, float step) {
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 me = i < count ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 a = {0, 0, 0};
    for (int start = 0; start < count; start += TILE) {
        int j = start + threadIdx.x;
        tile[threadIdx.x] = j < count ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < TILE; ++k) {
            float4 other = tile[k];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
            float force = other.w * inverse * inverse * inverse;
            a.x += dx * force;
            a.y += dy * force;
            a.z += dz * force;
        }
        __syncthreads();
    }
    if (i < count) {
        velocities[i].x += a.x * step;
        velocities[i].y += a.y * step;
        velocities[i].z += a.z * step;
    }
}

__global__ void move(float4 *bodies, const float3 *velocities, int count, float step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    bodies[i].x += velocities[i].x * step;
    bodies[i].y += velocities[i].y * step;
    bodies[i].z += velocities[i].z * step;
}

int main(int argc, char **argv) {
    int count = size_argument(argc, argv, 200);
    const int steps = 3;
    const float step = 0.01f;
    Random random(9);
    std::vector<float4> bodies(count);
    for (float4 &body : bodies)
        body = make_float4(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1),
                           random.between(0.1, 1));
    DeviceArray<float4> device_bodies(bodies);
    DeviceArray<float3> velocities(count);
    velocities.fill_bytes(0);
    for (int i = 0; i < steps; ++i) {
        accelerate<<<(count + TILE - 1) / TILE, TILE>>>(device_bodies.get(), velocities.get(), count, step);
        move<<<(count + 127) / 128, 128>>>(device_bodies.get(), velocities.get(), count, step);
    }
    CUDA_FINISH();

    std::vector<double> x(count * 3), v(count * 3, 0), expected_x;
    for (int i = 0; i < count; ++i) x[i * 3] = bodies[i].x, x[i * 3 + 1] = bodies[i].y, x[i * 3 + 2] = bodies[i].z;
    for (int n = 0; n < steps; ++n) {
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < count; ++j) {
                double d[3], square = SOFTENING;
                for (int c = 0; c < 3; ++c) d[c] = x[j * 3 + c] - x[i * 3 + c], square += d[c] * d[c];
                for (int c = 0; c < 3; ++c) v[i * 3 + c] += step * bodies[j].w * d[c] / (square * std::sqrt(square));
            }
        for (int i = 0; i < count * 3; ++i) x[i] += step * v[i];
    }
    auto end = device_bodies.to_host();
    std::vector<double> got(count * 3);
    for (int i = 0; i < count; ++i)
        got[i * 3] = end[i].x, got[i * 3 + 1] = end[i].y, got[i * 3 + 2] = end[i].z;
    // Each of `count` forces (below 90) has a relative error of some 1e-6; a step scales them by 1e-4.
    expect_near("positions", got, x, 2e-5);
    print_hash("positions", end);
    return pass("nbody");
}
