// Adds two arrays of floats: one thread an element, the last block partly idle.
#include "sample.h"

__global__ void add(const float *a, const float *b, float *sum, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) sum[i] = a[i] + b[i];
}

int main(int argc, char **argv) {
    int count = size_argument(argc, argv, 10007);
    Random random(1);
    auto a = random.numbers<float>(count, -100, 100);
    auto b = random.numbers<float>(count, -100, 100);

    float *device_a, *device_b, *device_sum;
    CUDA(cudaMalloc(&device_a, count * sizeof(float)));
    CUDA(cudaMalloc(&device_b, count * sizeof(float)));
    CUDA(cudaMalloc(&device_sum, count * sizeof(float)));
    CUDA(cudaMemcpy(device_a, a.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(device_b, b.data(), count * sizeof(float), cudaMemcpyHostToDevice));

    add<<<(count + 255) / 256, 256>>>(device_a, device_b, device_sum, count);
    CUDA_FINISH();

    std::vector<float> sum(count), expected(count);
    CUDA(cudaMemcpy(sum.data(), device_sum, count * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA(cudaFree(device_a));
    CUDA(cudaFree(device_b));
    CUDA(cudaFree(device_sum));

    // One IEEE addition has one right answer.
    for (int i = 0; i < count; ++i) expected[i] = a[i] + b[i];
    expect_equal("sum", sum, expected);
    print_hash("sum", sum);
    return pass("vector_add");
}
