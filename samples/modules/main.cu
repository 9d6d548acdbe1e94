// One program of several .cu files: each is a module of its own, with variables and kernels whose names the
// other modules have too.
#include "../sample.h"

int first_step(int *values, int count);
int second_step(int *values, int count);

static __device__ int factor = 2;

static __global__ void step(int *values, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] *= factor;
}

int main() {
    const int count = 500;
    std::vector<int> expected(count);
    DeviceArray<int> values(count);
    values.fill_bytes(0);
    for (int round = 0; round < 3; ++round) {
        // Each returns its module's own counter of calls, which lives on the device.
        expect_equal("calls of the first module", first_step(values.get(), count), round + 1);
        step<<<(count + 99) / 100, 100>>>(values.get(), count);
        expect_equal("calls of the second module", second_step(values.get(), count), 100 * (round + 1));
        for (int i = 0; i < count; ++i) expected[i] = (expected[i] + i) * 2 - 7;
    }
    int three = 3;
    CUDA(cudaMemcpyToSymbol(factor, &three, sizeof(int)));
    step<<<(count + 99) / 100, 100>>>(values.get(), count);
    CUDA_FINISH();
    for (int &value : expected) value *= 3;
    expect_equal("values", values.to_host(), expected);
    return pass("modules");
}
