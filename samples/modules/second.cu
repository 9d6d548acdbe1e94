#include "../sample.h"

static __device__ int factor = -7;
static __device__ int calls;
static __constant__ int calls_unit = 100;

template <class T> __global__ void step(T *values, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] += factor;
    if (i == 0) calls += calls_unit;
}

int second_step(int *values, int count) {
    step<<<(count + 31) / 32, 32>>>(values, count);
    CUDA_FINISH();
    int host;
    CUDA(cudaMemcpyFromSymbol(&host, calls, sizeof(int)));
    return host;
}
