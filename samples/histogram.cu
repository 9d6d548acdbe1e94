// Histograms of bytes: with atomics on shared memory and one flush a block, and on global memory alone.
#include "sample.h"

constexpr int BINS = 64;

__global__ void shared_atomics(const unsigned char *bytes, int count, unsigned *bins) {
    __shared__ unsigned mine[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) mine[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[bytes[i] % BINS], 1);
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        if (mine[bin]) atomicAdd(&bins[bin], mine[bin]);
}

__global__ void global_atomics(const uchar4 *bytes, int count, unsigned *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    uchar4 four = bytes[i];
    atomicAdd(&bins[four.x % BINS], 1);
    atomicAdd(&bins[four.y % BINS], 1);
    atomicAdd(&bins[four.z % BINS], 1);
    atomicAdd(&bins[four.w % BINS], 1);
}

int main(int argc, char **argv) {
    int count = size_argument(argc, argv, 40000) / 4 * 4;
    Random random(7);
    // Two thirds of the bytes fall into three bins, so that threads of a warp meet.
    std::vector<unsigned char> host(count);
    for (auto &byte : host) byte = random.next() % 3 ? random.next() % 3 : random.next();
    std::vector<unsigned> expected(BINS, 0);
    for (auto byte : host) ++expected[byte % BINS];

    DeviceArray<unsigned char> bytes(host);
    DeviceArray<unsigned> bins(BINS);
    bins.fill_bytes(0);
    shared_atomics<<<7, 96>>>(bytes.get(), count, bins.get());
    CUDA_FINISH();
    expect_equal("shared atomics", bins.to_host(), expected);

    bins.fill_bytes(0);
    global_atomics<<<(count / 4 + 127) / 128, 128>>>((const uchar4 *)bytes.get(), count / 4, bins.get());
    CUDA_FINISH();
    expect_equal("global atomics", bins.to_host(), expected);
    return pass("histogram");
}
