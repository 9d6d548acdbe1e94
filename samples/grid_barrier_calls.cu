// The grid's barrier by calls of the device runtime, as separately compiled code and numba have it: by all threads, and
// for their block by one; grids that are not launched together have no handle. As many blocks meet as fit a device of
// two multiprocessors.
// sample: flags = -rdc=true
// sample: machine_code = the barrier of a grid, in functions that are called
#include "sample.h"

#include <algorithm>

// Each row is the one before, turned round, plus one: threads read what others wrote, of blocks far away.
__global__ void rows(int *values, int count, int height, bool by_block, int *errors) {
    auto grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    for (int row = 1; row < height; ++row) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
            values[row * count + i] = values[(row - 1) * count + count - 1 - i] + 1;
        int error = by_block ? cudaCGSynchronizeGrid(grid, 0) : cudaCGSynchronize(grid, 0);
        if (error) atomicAdd(errors, 1);
    }
}

__global__ void alone(int *error) { *error = cudaCGSynchronize(cudaCGGetIntrinsicHandle(cudaCGScopeGrid), 0); }

int main() {
    int per_multiprocessor = 0, multiprocessors = 0;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, rows, 64, 0));
    CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    int most = per_multiprocessor * multiprocessors, count = 700, height = 5;
    int blocks = per_multiprocessor * std::min(multiprocessors, 2);
    if (blocks < 1) fail("no block fits the device");

    for (bool by_block : {false, true}) {
        std::vector<int> expected(count * height, 0);
        for (int i = 0; i < count; ++i) expected[i] = i * i;
        DeviceArray<int> values(expected), errors(1);
        errors.fill_bytes(0);
        for (int row = 1; row < height; ++row)
            for (int i = 0; i < count; ++i)
                expected[row * count + i] = expected[(row - 1) * count + count - 1 - i] + 1;
        int *values_pointer = values.get(), *errors_pointer = errors.get();
        void *arguments[] = {&values_pointer, &count, &height, &by_block, &errors_pointer};
        auto launch = [&](int blocks) {
            return cudaLaunchCooperativeKernel((const void *)rows, dim3(blocks), dim3(64), arguments, 0, nullptr);
        };
        expect_equal("error of one block more", int(launch(most + 1)), int(cudaErrorCooperativeLaunchTooLarge));
        cudaGetLastError();
        CUDA(launch(blocks));
        CUDA_FINISH();
        expect_equal("rows", values.to_host(), expected);
        expect_equal("errors", errors.to_host()[0], 0);
    }

    DeviceArray<int> error(1);
    alone<<<1, 1>>>(error.get());
    CUDA_FINISH();
    expect_equal("error without a handle", error.to_host()[0], int(cudaErrorUnknown));
    return pass("grid_barrier_calls");
}
