#include "cuda_bench.h"
#include "sizes.h"

__global__ void saxpy(int count, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] = a * x[i] + y[i];
}

int main() {
    const int count = SAXPY_COUNT;
    float *x = to_device(random_floats(count, 1)), *y = to_device(random_floats(count, 2));
    measure_kernel("saxpy", y, count, [&] { saxpy<<<(count + 255) / 256, 256>>>(count, 0.5f, x, y); });
}
