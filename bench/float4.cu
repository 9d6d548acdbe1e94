#include "cuda_bench.h"
#include "sizes.h"

// Turns vectors around their axes and moves them, a `float4` a thread.
__global__ void move_vectors(int count, float4 by, const float4 *x, float4 *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 v = x[i];
    y[i] = make_float4(v.y + by.x, by.y - v.x, v.w + by.z, by.w - v.z);
}

int main() {
    const int count = FLOAT4_COUNT;
    auto *x = (float4 *)to_device(random_floats(4 * count, 1)), *y = (float4 *)to_device(random_floats(4 * count, 2));
    float4 by = make_float4(0.5f, 0.25f, -1.0f, 2.0f);
    auto launch = [&] { move_vectors<<<(count + 255) / 256, 256>>>(count, by, x, y); };
    measure_kernel("float4", (float *)y, 4 * count, launch);
}
