// sample: flags = -rdc=true
// Separate compilation: kernels call functions and use variables of another file. The programs hold PTX alone,
// so that it is the driver that links it.
#include "../sample.h"

#include "shared.h"

// Both files have these, each its own.
static __device__ int bias = 1000;
static __device__ int helper(int x) { return x + bias; }

__global__ void combine(int *values, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        operation chosen = operations[i % 2];
        values[i] = helper(scale(values[i])) + chosen(i) + table[i % 4];
        if (i == 0) atomicAdd(&launches, 1);
    }
}

int main() {
    const int count = 1000;
    std::vector<int> host(count), expected(count);
    for (int i = 0; i < count; ++i) {
        host[i] = i * 3;
        int chosen = i % 2 ? -i : i * i + 7;
        int table[] = {5, 6, 7, 8};
        expected[i] = host[i] * 2 + 7 + 1000 + chosen + table[i % 4];
    }
    int *device;
    CUDA(cudaMalloc(&device, count * sizeof(int)));
    CUDA(cudaMemcpy(device, host.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    combine<<<(count + 127) / 128, 128>>>(device, count);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(host.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i)
        if (host[i] != expected[i]) fail("values[%d]: got %d, expected %d", i, host[i], expected[i]);
    CUDA(cudaFree(device));

    // A kernel and a variable of the other file.
    int launched;
    CUDA(cudaMemcpyFromSymbol(&launched, launches, sizeof(launched)));
    if (launched != 1) fail("launches: got %d, expected 1", launched);
    if (run_other() != 42) fail("the other file's kernel");
    CUDA(cudaMemcpyFromSymbol(&launched, launches, sizeof(launched)));
    if (launched != 2) fail("launches: got %d, expected 2", launched);
    return pass("separate");
}
