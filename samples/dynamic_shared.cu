// Shared memory whose size the launch gives: arrays of several types in one piece, next to static arrays, and
// more than 48 KiB by opting in.
// sample: machine_code = shared memory behind what is declared
#include "sample.h"

extern __shared__ __align__(16) unsigned char dynamic[];

// Reverses a block's doubles and chars, both in dynamic shared memory.
__global__ void reverse(double *doubles, char *chars) {
    double *shared_doubles = reinterpret_cast<double *>(dynamic);
    char *shared_chars = reinterpret_cast<char *>(shared_doubles + blockDim.x);
    __shared__ int order;
    int t = threadIdx.x, last = blockDim.x - 1, start = blockIdx.x * blockDim.x;
    if (t == 0) order = last;
    shared_doubles[t] = doubles[start + t];
    shared_chars[t] = chars[start + t];
    __syncthreads();
    doubles[start + t] = shared_doubles[order - t];
    chars[start + t] = shared_chars[order - t];
}

__global__ void large(unsigned *sums, int words) {
    unsigned *shared = reinterpret_cast<unsigned *>(dynamic);
    for (int i = threadIdx.x; i < words; i += blockDim.x) shared[i] = i * (blockIdx.x + 1);
    __syncthreads();
    unsigned sum = 0;
    // Each thread reads what another one wrote.
    for (int i = (threadIdx.x + 33) % blockDim.x; i < words; i += blockDim.x) sum += shared[i];
    atomicAdd(&sums[blockIdx.x], sum);
    unsigned size;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
    if (size != words * 4) sums[blockIdx.x] = 0xdead;
}

// Its alignment is larger than what is declared before it.
extern __shared__ __align__(256) unsigned char aligned[];

__global__ void address_of(unsigned long long *address, int *sum, int last) {
    __shared__ int before[5];
    before[threadIdx.x % 5] = 1;
    aligned[last] = 2;
    __syncthreads();
    *address = __cvta_generic_to_shared(aligned);
    *sum = before[0] + before[4] + aligned[last];
}

int main() {
    const int threads = 150, blocks = 4, count = threads * blocks;
    Random random(14);
    auto doubles = random.numbers<double>(count, -1, 1);
    auto chars = random.numbers<char>(count, -100, 100);
    DeviceArray<double> device_doubles(doubles);
    DeviceArray<char> device_chars(chars);
    reverse<<<blocks, threads, threads * (sizeof(double) + 1)>>>(device_doubles.get(), device_chars.get());
    CUDA_FINISH();
    std::vector<double> expected_doubles(count);
    std::vector<char> expected_chars(count);
    for (int i = 0; i < count; ++i) {
        int from = i / threads * threads + threads - 1 - i % threads;
        expected_doubles[i] = doubles[from];
        expected_chars[i] = chars[from];
    }
    expect_equal("doubles", device_doubles.to_host(), expected_doubles);
    expect_equal("chars", device_chars.to_host(), expected_chars);

    int most = 0;
    CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    if (most < 64 * 1024) fail("only %d bytes of shared memory to opt in to", most);
    int words = 15 * 1024;
    DeviceArray<unsigned> sums(3);
    sums.fill_bytes(0);
    // Without opting in, 60 KiB are too much.
    large<<<3, 128, words * 4>>>(sums.get(), words);
    expect_equal("error without opting in", int(cudaGetLastError()), int(cudaErrorInvalidValue));
    CUDA(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, words * 4));
    large<<<3, 128, words * 4>>>(sums.get(), words);
    CUDA_FINISH();
    std::vector<unsigned> expected(3, 0);
    for (unsigned block = 0; block < 3; ++block)
        for (int i = 0; i < words; ++i) expected[block] += i * (block + 1);
    expect_equal("sums", sums.to_host(), expected);

    DeviceArray<unsigned long long> address(1);
    DeviceArray<int> sum(1);
    // All that a launch may have: what stands before it is counted too.
    cudaFuncAttributes attributes;
    CUDA(cudaFuncGetAttributes(&attributes, address_of));
    expect_equal("static bytes", attributes.sharedSizeBytes, size_t(256));
    int dynamic_bytes = 48 * 1024 - 256;
    address_of<<<1, 32, dynamic_bytes>>>(address.get(), sum.get(), dynamic_bytes - 1);
    CUDA_FINISH();
    expect_equal("alignment", address.to_host()[0] % 256, 0ull);
    expect_equal("sum", sum.to_host()[0], 4);
    return pass("dynamic_shared");
}
