#include "../sample.h"

static __device__ int factor = 1;
__device__ int calls_of_first;

static __global__ void step(int *values, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] += i * factor;
    if (i == 0) ++calls_of_first;
}

int first_step(int *values, int count) {
    step<<<(count + 63) / 64, 64>>>(values, count);
    CUDA_FINISH();
    int calls;
    CUDA(cudaMemcpyFromSymbol(&calls, calls_of_first, sizeof(int)));
    return calls;
}
