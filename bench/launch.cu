// The time that a launch takes: with a synchronisation each, and one after the other.
#include "cuda_bench.h"

__global__ void empty() {}

__global__ void tiny(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

int main() {
    int *out = to_device(std::vector<int>(8 * 64));
    auto nothing = [] { return 0; };
    measure_launch("launch_and_synchronise", [] { empty<<<1, 1>>>(); }, nothing);
    measure_launch("launch_8_blocks", [&] { tiny<<<8, 64>>>(out); }, nothing);
    const int launches = 1000;
    auto many = [] {
        for (int i = 0; i < launches; ++i) empty<<<1, 1>>>();
    };
    measure_launch("launch_back_to_back", many, nothing, launches);
}
