// Compiled by `nvcc -ptx -arch=compute_75 vector_add.cu`; vector_add.ptx is the result.
extern "C" __global__ void va(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
