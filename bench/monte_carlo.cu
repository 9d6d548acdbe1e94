// Points in a square that are in a circle, by random numbers of Philox.
#include "cuda_bench.h"
#include "philox.h"
#include "sizes.h"

__global__ void count_inside(unsigned *total) {
    int path = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
    for (int step = 0; step < PATH_STEPS; ++step) count += inside(step, path);
    for (int offset = 16; offset > 0; offset /= 2) count += __shfl_down_sync(0xffffffff, count, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(total, count);
}

int main() {
    unsigned *total = on_device<unsigned>(1);
    measure_kernel("monte_carlo_philox", total, 1, [&] {
        CUDA(cudaMemsetAsync(total, 0, sizeof(unsigned)));
        count_inside<<<PATHS / 256, 256>>>(total);
    });
}
