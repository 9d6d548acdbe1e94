// sample: alone = the error ends the context
// A store to an address that nobody allocated gives error 700; the process lives on.
#include "sample.h"

__global__ void store(int *where, int value) { where[threadIdx.x] = value; }

int main() {
    DeviceArray<int> out(32);
    store<<<1, 32>>>(out.get(), 5);
    CUDA_FINISH();

    store<<<1, 32>>>((int *)0x40, 6);
    CUDA(cudaGetLastError());
    expect_equal("error at the next synchronisation", int(cudaDeviceSynchronize()), int(cudaErrorIllegalAddress));
    void *pointer;
    expect_equal("error of cudaMalloc after it", int(cudaMalloc(&pointer, 16)), int(cudaErrorIllegalAddress));
    store<<<1, 32>>>(out.get(), 7);
    expect_equal("error of a launch after it", int(cudaGetLastError()), int(cudaErrorIllegalAddress));
    return pass("illegal_address");
}
