// Multiplications and additions in registers, in as many chains as hide how long one takes.
#include "cuda_bench.h"
#include "sizes.h"

template <class T> __global__ void chains(const T *from, T factor, T *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T values[PEAK_CHAINS], sum = 0;
    for (int chain = 0; chain < PEAK_CHAINS; ++chain) values[chain] = from[i] + chain;
    for (int step = 0; step < PEAK_STEPS; ++step)
#pragma unroll
        for (int chain = 0; chain < PEAK_CHAINS; ++chain) values[chain] = values[chain] * factor + T(0.5);
    for (int chain = 0; chain < PEAK_CHAINS; ++chain) sum += values[chain];
    to[i] = sum;
}

int main() {
    auto numbers = random_floats(PEAK_THREADS, 1);
    float *floats = to_device(numbers), *sums = on_device<float>(PEAK_THREADS);
    double *doubles = to_device(std::vector<double>(numbers.begin(), numbers.end()));
    double *double_sums = on_device<double>(PEAK_THREADS);
    const int blocks = PEAK_THREADS / 256;
    measure_kernel("fma_stream", sums, PEAK_THREADS, [&] { chains<<<blocks, 256>>>(floats, 0.999f, sums); });
    measure_kernel("fma_f64", double_sums, PEAK_THREADS, [&] { chains<<<blocks, 256>>>(doubles, 0.999, double_sums); });
}
