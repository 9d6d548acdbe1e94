#include "cuda_bench.h"
#include "sizes.h"

constexpr int TILE = 256;
static_assert(NBODY_COUNT % TILE == 0);

__global__ void accelerate(const float4 *bodies, float4 *accelerations) {
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 me = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (int start = 0; start < NBODY_COUNT; start += TILE) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + NBODY_SOFTENING);
            float force = tile[k].w * inverse * inverse * inverse;
            ax += dx * force;
            ay += dy * force;
            az += dz * force;
        }
        __syncthreads();
    }
    accelerations[i] = make_float4(ax, ay, az, 0);
}

int main() {
    auto numbers = random_floats(NBODY_COUNT * 4, 1);
    std::vector<float4> host(NBODY_COUNT);
    for (int i = 0; i < NBODY_COUNT; ++i)
        host[i] = make_float4(numbers[i * 4], numbers[i * 4 + 1], numbers[i * 4 + 2], numbers[i * 4 + 3]);
    float4 *bodies = to_device(host), *accelerations = to_device(host);
    auto launch = [&] { accelerate<<<NBODY_COUNT / TILE, TILE>>>(bodies, accelerations); };
    measure_kernel("nbody", (float *)accelerations, 4 * NBODY_COUNT, launch);
}
