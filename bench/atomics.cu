#include "cuda_bench.h"
#include "sizes.h"

// Every thread adds to the same place.
__global__ void add_to_one(const unsigned *values, unsigned *sum) {
    atomicAdd(sum, values[blockIdx.x * blockDim.x + threadIdx.x]);
}

__global__ void add_to_many(const unsigned *values, unsigned *sums) {
    unsigned value = values[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(&sums[value % ATOMIC_PLACES], value / ATOMIC_PLACES);
}

int main() {
    unsigned *values = to_device(random_integers<unsigned>(ATOMICS, 1 << 24, 1)), *sums = on_device<unsigned>(ATOMIC_PLACES);
    measure_kernel("one_atomic", sums, 1, [&] {
        CUDA(cudaMemsetAsync(sums, 0, sizeof(unsigned)));
        add_to_one<<<ATOMICS / 256, 256>>>(values, sums);
    });
    measure_kernel("many_atomics", sums, ATOMIC_PLACES, [&] {
        CUDA(cudaMemsetAsync(sums, 0, ATOMIC_PLACES * sizeof(unsigned)));
        add_to_many<<<ATOMICS / 256, 256>>>(values, sums);
    });
}
