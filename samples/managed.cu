// Memory that host and device share: cudaMallocManaged, __managed__ variables, mapped and registered host memory.
#include "sample.h"

struct Link {
    int value;
    Link *next;
};

__managed__ int total;
__managed__ int squares[64];

__global__ void square(int count) {
    int i = threadIdx.x;
    if (i < count) {
        squares[i] = squares[i] * squares[i];
        atomicAdd(&total, squares[i]);
    }
}

// Both sides follow the same pointers.
__global__ void double_list(Link *link) {
    for (; link; link = link->next) link->value *= 2;
}

__global__ void increment(int *values, int count) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) values[i] += 1;
}

int main() {
    int expected_total = 5;
    total = 5;
    for (int i = 0; i < 64; ++i) {
        squares[i] = i;
        expected_total += i * i;
    }
    square<<<1, 64>>>(64);
    CUDA_FINISH();
    expect_equal("__managed__ total", total, expected_total);
    for (int i = 0; i < 64; ++i) expect_equal("__managed__ array", squares[i], i * i);

    Link *links;
    CUDA(cudaMallocManaged(&links, 10 * sizeof(Link)));
    for (int i = 0; i < 10; ++i) links[i] = {i, i < 9 ? &links[i + 1] : nullptr};
    double_list<<<1, 1>>>(links);
    CUDA_FINISH();
    for (int i = 0; i < 10; ++i) expect_equal("list", links[i].value, 2 * i);
    cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, links));
    expect_equal("type of managed memory", int(attributes.type), int(cudaMemoryTypeManaged));
    CUDA(cudaFree(links));

    int *mapped, *mapped_on_device;
    CUDA(cudaHostAlloc(&mapped, 100 * sizeof(int), cudaHostAllocMapped));
    CUDA(cudaHostGetDevicePointer(&mapped_on_device, mapped, 0));
    for (int i = 0; i < 100; ++i) mapped[i] = i;
    increment<<<1, 32>>>(mapped_on_device, 100);
    CUDA_FINISH();
    for (int i = 0; i < 100; ++i) expect_equal("mapped memory", mapped[i], i + 1);
    CUDA(cudaPointerGetAttributes(&attributes, mapped));
    expect_equal("type of host memory", int(attributes.type), int(cudaMemoryTypeHost));
    CUDA(cudaFreeHost(mapped));

    std::vector<int> registered(3000, 7);
    CUDA(cudaHostRegister(registered.data(), registered.size() * sizeof(int), cudaHostRegisterMapped));
    CUDA(cudaHostGetDevicePointer(&mapped_on_device, registered.data(), 0));
    increment<<<1, 64>>>(mapped_on_device, 3000);
    CUDA_FINISH();
    expect_equal("registered memory", registered, std::vector<int>(3000, 8));
    CUDA(cudaHostUnregister(registered.data()));

    DeviceArray<int> device(1);
    CUDA(cudaPointerGetAttributes(&attributes, device.get()));
    expect_equal("type of device memory", int(attributes.type), int(cudaMemoryTypeDevice));
    CUDA(cudaPointerGetAttributes(&attributes, &expected_total));
    expect_equal("type of other memory", int(attributes.type), int(cudaMemoryTypeUnregistered));
    return pass("managed");
}
