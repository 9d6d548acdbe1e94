#include "cuda_bench.h"
#include "sizes.h"

__global__ void saxpy(int count, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] = a * x[i] + y[i];
}

int main() {
    const int count = SAXPY_COUNT;
    float *x = to_device(random_floats(count, 1)), *y = to_device(random_floats(count, 2));
    saxpy<<<(count + 255) / 256, 256>>>(count, 0.5f, x, y);
    double checksum = sum_of(to_host(y, count));
    auto times = times_of_kernel([&] { saxpy<<<(count + 255) / 256, 256>>>(count, 0.0f, x, y); });
    print_times("saxpy", times, checksum);
}
