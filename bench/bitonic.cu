#include "cuda_bench.h"
#include "sizes.h"

// The keys that a block holds in shared memory, two a thread.
constexpr int PART = 512;

__device__ void exchange(unsigned &low, unsigned &high, bool ascending) {
    if ((low > high) == ascending) {
        unsigned key = low;
        low = high;
        high = key;
    }
}

// A step between keys that are `distance` apart, in runs of `length`.
__global__ void step(unsigned *keys, int distance, int length) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int low = 2 * thread - (thread & (distance - 1));
    exchange(keys[low], keys[low + distance], (low & length) == 0);
}

// All steps that stay within a part, for runs of `from` to `to`.
__global__ void steps_of_parts(unsigned *keys, int from, int to) {
    __shared__ unsigned part[PART];
    int thread = threadIdx.x, begin = blockIdx.x * PART;
    part[thread] = keys[begin + thread];
    part[thread + PART / 2] = keys[begin + thread + PART / 2];
    for (int length = from; length <= to; length *= 2)
        for (int distance = min(length, PART) / 2; distance > 0; distance /= 2) {
            __syncthreads();
            int low = 2 * thread - (thread & (distance - 1));
            exchange(part[low], part[low + distance], ((begin + low) & length) == 0);
        }
    __syncthreads();
    keys[begin + thread] = part[thread];
    keys[begin + thread + PART / 2] = part[thread + PART / 2];
}

int main() {
    const int count = BITONIC_COUNT, blocks = count / PART, threads = PART / 2;
    unsigned *random = to_device(random_integers<unsigned>(count, 4294967295.0, 1)), *keys = on_device<unsigned>(count);
    measure_kernel("sort_bitonic", keys, count, [&] {
        CUDA(cudaMemcpyAsync(keys, random, count * sizeof(unsigned), cudaMemcpyDeviceToDevice));
        steps_of_parts<<<blocks, threads>>>(keys, 2, PART);
        for (int length = 2 * PART; length <= count; length *= 2) {
            for (int distance = length / 2; distance >= PART; distance /= 2)
                step<<<blocks, threads>>>(keys, distance, length);
            steps_of_parts<<<blocks, threads>>>(keys, length, length);
        }
    });
}
