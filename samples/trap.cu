// sample: alone = the error ends the context
// A trap ends the kernel and its context with error 719; the process lives on.
#include "sample.h"

__global__ void trap_at(int *out, int trapping) {
    int i = threadIdx.x;
    if (i == trapping) __trap();
    out[i] = i;
}

int main() {
    DeviceArray<int> out(64);
    trap_at<<<1, 64>>>(out.get(), 64);
    CUDA_FINISH();

    trap_at<<<1, 64>>>(out.get(), 40);
    CUDA(cudaGetLastError());
    expect_equal("error at the next synchronisation", int(cudaDeviceSynchronize()), int(cudaErrorLaunchFailure));
    void *pointer;
    expect_equal("error of cudaMalloc after it", int(cudaMalloc(&pointer, 16)), int(cudaErrorLaunchFailure));
    trap_at<<<1, 64>>>(out.get(), 64);
    expect_equal("error of a launch after it", int(cudaGetLastError()), int(cudaErrorLaunchFailure));
    return pass("trap");
}
