// One of two modules that are linked.
extern __device__ int shared_counter;
extern __device__ float scaled(float x);
__device__ __noinline__ float offset(float x) { return x + 1; }

extern "C" __global__ void linked(const float *x, float *out) {
    atomicAdd(&shared_counter, 1);
    out[threadIdx.x] = scaled(x[threadIdx.x]) + offset(x[threadIdx.x]);
}
