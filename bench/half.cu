#include "cuda_bench.h"
#include "sizes.h"

#include <cuda_fp16.h>

__global__ void gelu(const half *from, half *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = __half2float(from[i]);
    to[i] = __float2half(0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))));
}

__global__ void axpy(half2 a, const half2 *x, half2 *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __hfma2(a, x[i], y[i]);
}

static std::vector<half> random_halves(uint32_t seed) {
    std::vector<half> halves;
    for (float number : random_floats(HALF_COUNT, seed)) halves.push_back(__float2half(8 * number - 4));
    return halves;
}

int main() {
    half *x = to_device(random_halves(1)), *y = to_device(random_halves(2)), *to = on_device<half>(HALF_COUNT);
    auto checksum = [](const half *result) {
        std::vector<float> floats;
        for (half number : to_host(result, HALF_COUNT)) floats.push_back(__half2float(number));
        return checksum_of(floats);
    };
    const int blocks = HALF_COUNT / 256;
    measure_launch("gelu_half", [&] { gelu<<<blocks, 256>>>(x, to); }, [&] { return checksum(to); });
    half2 a = __float2half2_rn(0.001f);
    measure_launch("axpy_half2", [&] { axpy<<<blocks / 2, 256>>>(a, (half2 *)x, (half2 *)y); },
                   [&] { return checksum(y); });
}
