#include "cuda_bench.h"
#include "sizes.h"

__global__ void histogram(const unsigned char *bytes, int count, unsigned *bins) {
    __shared__ unsigned mine[HISTOGRAM_BINS];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[bytes[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main() {
    auto numbers = random_floats(HISTOGRAM_COUNT, 1);
    std::vector<unsigned char> host(numbers.size());
    for (size_t i = 0; i < host.size(); ++i) host[i] = (unsigned char)(numbers[i] * numbers[i] * 256);
    unsigned char *bytes = to_device(host);
    unsigned *bins = to_device(std::vector<unsigned>(HISTOGRAM_BINS));
    measure_kernel("histogram", bins, HISTOGRAM_BINS, [&] {
        CUDA(cudaMemsetAsync(bins, 0, HISTOGRAM_BINS * sizeof(unsigned)));
        histogram<<<128, HISTOGRAM_BINS>>>(bytes, HISTOGRAM_COUNT, bins);
    });
}
