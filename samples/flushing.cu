// Subnormal numbers where nearly all arithmetic flushes them (`-ftz=true`): what does not flush stands between what does, as do
// textures.
#include "sample.h"

struct Results {
    float sum, difference, product, quotient, root, fused;
    float flushed_sum, flushed_product;
    float texel;
};

__device__ float flushing_chain(float x, float y) {
#pragma unroll
    for (int i = 0; i < 200; ++i) asm("fma.rn.ftz.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(y));
    return x;
}

__device__ Results plain(cudaTextureObject_t texture, float x, float y) {
    Results r;
    asm("add.rn.f32 %0, %1, %2;" : "=f"(r.sum) : "f"(x), "f"(y));
    asm("sub.rn.f32 %0, %1, %2;" : "=f"(r.difference) : "f"(x), "f"(y));
    asm("mul.rn.f32 %0, %1, %2;" : "=f"(r.product) : "f"(x), "f"(0.75f));
    asm("div.rn.f32 %0, %1, %2;" : "=f"(r.quotient) : "f"(x), "f"(3.0f));
    asm("sqrt.rn.f32 %0, %1;" : "=f"(r.root) : "f"(fabsf(x)));
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r.fused) : "f"(x), "f"(0.5f), "f"(y));
    r.texel = tex1D<float>(texture, 1 + threadIdx.x % 30);
    return r;
}

__global__ void mixed(cudaTextureObject_t texture, const float *numbers, Results *results, float *chains) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = numbers[2 * i], y = numbers[2 * i + 1];
    chains[i] = flushing_chain(x, y);
    Results r = plain(texture, x, y);
    asm("add.rn.ftz.f32 %0, %1, %2;" : "=f"(r.flushed_sum) : "f"(x), "f"(y));
    asm("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(r.flushed_product) : "f"(x), "f"(0.75f));
    results[i] = r;
}

// The same without a word of flushing.
__global__ void alone(cudaTextureObject_t texture, const float *numbers, Results *results) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    results[i] = plain(texture, numbers[2 * i], numbers[2 * i + 1]);
}

static float flushed(float value) {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

static float flushed_sum(float x, float y) { return flushed(flushed(x) + flushed(y)); }

// Bit by bit.
static void expect(const char *what, size_t index, float got, float expected) {
    if (memcmp(&got, &expected, sizeof got)) fail_at(what, index, got, expected, "");
}

static cudaTextureObject_t texture_of(cudaArray_t array) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description{};
    description.filterMode = cudaFilterModeLinear;
    description.addressMode[0] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

int main() {
    const int threads = 96, blocks = 4, count = threads * blocks, width = 32;
    // Half of the numbers are subnormal, all others near.
    Random random(23);
    auto numbers = random.numbers<float>(2 * count, 1, 2);
    for (int i = 0; i < 2 * count; ++i) numbers[i] = std::ldexp(i % 3 ? numbers[i] : -numbers[i], -130 + i % 8);
    std::vector<float> texels(width);
    for (int i = 0; i < width; ++i) texels[i] = std::ldexp(1.0f + i, -130);

    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&array, &format, width));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, texels.data(), width * 4, width * 4, 1, cudaMemcpyHostToDevice));
    cudaTextureObject_t texture = texture_of(array);
    DeviceArray<float> device_numbers(numbers), chains(count);
    DeviceArray<Results> mixed_results(count), alone_results(count);
    mixed<<<blocks, threads>>>(texture, device_numbers.get(), mixed_results.get(), chains.get());
    alone<<<blocks, threads>>>(texture, device_numbers.get(), alone_results.get());
    CUDA_FINISH();

    auto results = mixed_results.to_host(), others = alone_results.to_host();
    int subnormal = 0;
    for (int i = 0; i < count; ++i) {
        float x = numbers[2 * i], y = numbers[2 * i + 1];
        const Results &r = results[i];
        subnormal += std::fpclassify(r.sum) == FP_SUBNORMAL;
        expect("a sum", i, r.sum, x + y);
        expect("a difference", i, r.difference, x - y);
        expect("a product", i, r.product, x * 0.75f);
        expect("a quotient", i, r.quotient, x / 3.0f);
        expect("a root", i, r.root, std::sqrt(std::fabs(x)));
        // Doubles hold the sum; mingw's `fmaf` rounds twice.
        expect("a fused product", i, r.fused, float(double(x) * 0.5 + y));
        expect("a flushed sum", i, r.flushed_sum, flushed_sum(x, y));
        expect("a flushed product", i, r.flushed_product, flushed(flushed(x) * 0.75f));
        // Filters flush, too, in whatever kernel.
        int left = i % threads % 30;
        float average = flushed((flushed(texels[left]) + flushed(texels[left + 1])) / 2);
        expect("between two texels", i, r.texel, average);
        expect("between two texels of another kernel", i, others[i].texel, average);
    }
    if (subnormal < count / 8) fail("only %d sums are subnormal", subnormal);
    print_hash("results", others);
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
    return pass("flushing");
}
