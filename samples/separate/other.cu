#include "../sample.h"

#include "shared.h"

__device__ int launches;
__constant__ int table[4] = {5, 6, 7, 8};

static __device__ int bias = 7;
static __device__ int helper(int x) { return x + bias; }

static __device__ int square(int x) { return helper(x * x); }
static __device__ int negate(int x) { return -x; }
__device__ operation operations[2] = {square, negate};

__device__ int scale(int x) { return helper(2 * x); }

static __global__ void answer(int *to) {
    *to = scale(17) + 1;
    atomicAdd(&launches, 1);
}

int run_other() {
    int *device, result;
    CUDA(cudaMalloc(&device, sizeof(int)));
    answer<<<1, 1>>>(device);
    CUDA(cudaMemcpy(&result, device, sizeof(int), cudaMemcpyDeviceToHost));
    CUDA(cudaFree(device));
    return result;
}
