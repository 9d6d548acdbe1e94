// The other one of two modules that are linked.
__device__ int shared_counter = 100;
__constant__ float factor = 3;
static __device__ __noinline__ float offset_of_our_own(float x) { return x * factor; }
__device__ float scaled(float x) { return offset_of_our_own(x); }

extern "C" __global__ void count(int *out) { *out = shared_counter; }
