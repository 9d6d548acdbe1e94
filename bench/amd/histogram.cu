// Counts bytes, first in shared memory.
extern "C" __global__ void histogram(const unsigned char *data, unsigned *counts, unsigned n)
{
    __shared__ unsigned bins[256];
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1);
    __syncthreads();
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&counts[i], bins[i]);
}
