// The time that a launch takes: with a synchronisation each, and one after the other.
#include "cuda_bench.h"

__global__ void empty() {}

__global__ void tiny(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

int main() {
    int *out = to_device(std::vector<int>(8 * 64));
    print_times("launch_and_synchronise", times_of_kernel([] { empty<<<1, 1>>>(); }), 0);
    print_times("launch_8_blocks", times_of_kernel([&] { tiny<<<8, 64>>>(out); }), 0);
    const int launches = 1000;
    auto times = times_of_kernel([] {
        for (int i = 0; i < launches; ++i) empty<<<1, 1>>>();
    });
    for (double &time : times) time /= launches;
    print_times("launch_back_to_back", times, 0);
}
