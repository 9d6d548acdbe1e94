// sample: stderr = Assertion `index < 3` failed
// sample: alone = the error ends the context
// sample: machine_code = a call of the system that ends the grid
// A failed assert ends the kernel and its context with error 710; the process lives on.
#include "sample.h"

#include <cassert>

__global__ void check_index(int *out) {
    int index = threadIdx.x;
    assert(index >= 0);
    assert(index < 3);
    out[index] = index;
}

int main() {
    DeviceArray<int> out(8);
    check_index<<<1, 3>>>(out.get());
    CUDA_FINISH();

    check_index<<<1, 8>>>(out.get());
    CUDA(cudaGetLastError());
    // What it asserted is said also where the program waits for nothing.
    size_t free, total;
    cudaError_t seen;
    while ((seen = cudaMemGetInfo(&free, &total)) == cudaSuccess) {
    }
    expect_equal("error of the first call that sees it", int(seen), int(cudaErrorAssert));
    expect_equal("error at the next synchronisation", int(cudaDeviceSynchronize()), int(cudaErrorAssert));
    // The error sticks to the context.
    void *pointer;
    expect_equal("error of cudaMalloc after it", int(cudaMalloc(&pointer, 16)), int(cudaErrorAssert));
    check_index<<<1, 3>>>(out.get());
    expect_equal("error of a launch after it", int(cudaGetLastError()), int(cudaErrorAssert));
    return pass("assert");
}
