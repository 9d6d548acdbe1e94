// sample: arch = compute_90
// Copies of boxes of tensors: random shapes, swizzles, strides and places, in, out and added, against a model
// on the host; windows of images; and one box for a whole cluster.
#include "sample.h"

#include <cuda.h>

#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) fail("%s:%d: %s", __FILE__, __LINE__, #condition);                                 \
    } while (0)

constexpr int BOX_BYTES = 16384;

struct Place {
    int at[5];
};

enum Work { LOAD, STORE, ADD };

__device__ unsigned shared_address(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }

__device__ void wait_for(unsigned barrier, unsigned parity) {
    asm volatile("{\n .reg .pred p;\n again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n @!p bra again;\n}" ::"r"(
                     barrier),
                 "r"(parity)
                 : "memory");
}

#define TENSOR(rank, places, ...)                                                                            \
    do {                                                                                                     \
        if (work == LOAD)                                                                                    \
            asm volatile("cp.async.bulk.tensor." rank                                                        \
                         ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" places     \
                         "}], [%2];" ::"r"(box),                                                             \
                         "l"(map), "r"(barrier), __VA_ARGS__                                                 \
                         : "memory");                                                                        \
        else if (work == STORE)                                                                              \
            asm volatile("cp.async.bulk.tensor." rank ".global.shared::cta.tile.bulk_group [%1, {" places    \
                         "}], [%0];" ::"r"(box),                                                             \
                         "l"(map), "r"(barrier), __VA_ARGS__                                                 \
                         : "memory");                                                                        \
        else                                                                                                 \
            asm volatile("cp.reduce.async.bulk.tensor." rank                                                 \
                         ".global.shared::cta.add.tile.bulk_group [%1, {" places "}], [%0];" ::"r"(box),     \
                         "l"(map), "r"(barrier), __VA_ARGS__                                                 \
                         : "memory");                                                                        \
    } while (0)

__global__ void copy_box(const __grid_constant__ CUtensorMap tensor, int rank, Place place, Work work,
                         unsigned bytes, unsigned char *memory) {
    __shared__ alignas(1024) unsigned char box_memory[BOX_BYTES];
    __shared__ alignas(8) unsigned long long barrier_memory;
    for (int i = threadIdx.x; i < BOX_BYTES; i += blockDim.x)
        box_memory[i] = work == LOAD ? 0xee : memory[i];
    unsigned box = shared_address(box_memory), barrier = shared_address(&barrier_memory);
    const CUtensorMap *map = &tensor;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        const int *at = place.at;
        if (work == LOAD)
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                         : "memory");
        switch (rank) {
        case 1: TENSOR("1d", "%3", "r"(at[0])); break;
        case 2: TENSOR("2d", "%3, %4", "r"(at[0]), "r"(at[1])); break;
        case 3: TENSOR("3d", "%3, %4, %5", "r"(at[0]), "r"(at[1]), "r"(at[2])); break;
        case 4: TENSOR("4d", "%3, %4, %5, %6", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3])); break;
        default:
            TENSOR("5d", "%3, %4, %5, %6, %7", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]));
        }
        if (work != LOAD) {
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        }
    }
    if (work == LOAD) {
        wait_for(barrier, 0);
        for (int i = threadIdx.x; i < BOX_BYTES; i += blockDim.x) memory[i] = box_memory[i];
    }
}

__global__ void copy_window(const __grid_constant__ CUtensorMap tensor, Place place, unsigned short left,
                            unsigned short up, unsigned bytes, unsigned char *memory) {
    __shared__ alignas(1024) unsigned char box_memory[BOX_BYTES];
    __shared__ alignas(8) unsigned long long barrier_memory;
    for (int i = threadIdx.x; i < BOX_BYTES; i += blockDim.x) box_memory[i] = 0xee;
    unsigned box = shared_address(box_memory), barrier = shared_address(&barrier_memory);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                     : "memory");
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, "
                     "{%3, %4, %5, %6}], [%2], {%7, %8};" ::"r"(box),
                     "l"(&tensor), "r"(barrier), "r"(place.at[0]), "r"(place.at[1]), "r"(place.at[2]),
                     "r"(place.at[3]), "h"(left), "h"(up)
                     : "memory");
    }
    wait_for(barrier, 0);
    for (int i = threadIdx.x; i < BOX_BYTES; i += blockDim.x) memory[i] = box_memory[i];
}

/// Every block of the cluster loads its part of the box for all.
__global__ void __cluster_dims__(4, 1, 1) share_box(const __grid_constant__ CUtensorMap tensor, unsigned *out) {
    __shared__ alignas(1024) unsigned words[4][64];
    __shared__ alignas(8) unsigned long long barrier_memory;
    unsigned barrier = shared_address(&barrier_memory), rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "n"(sizeof words)
                     : "memory");
    }
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::"
                     "cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(words[rank])),
                     "l"(&tensor), "r"(barrier), "r"(0), "r"(int(rank)), "h"((unsigned short)15)
                     : "memory");
    wait_for(barrier, 0);
    for (int row = 0; row < 4; row++) out[(blockIdx.x * 4 + row) * 64 + threadIdx.x] = words[row][threadIdx.x];
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

typedef CUresult (*EncodeTiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
typedef CUresult (*EncodeIm2col)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                 const cuuint64_t *, const int *, const int *, cuuint32_t, cuuint32_t,
                                 const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

template <class F> F driver_function(const char *name) {
    void *function = nullptr;
    cudaDriverEntryPointQueryResult result;
    CUDA(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result));
    EXPECT(result == cudaDriverEntryPointSuccess);
    return F(function);
}

/// Where a byte of a box lies, from where it would lie without swizzle.
unsigned swizzled(unsigned at, CUtensorMapSwizzle swizzle) {
    unsigned bits = swizzle == CU_TENSOR_MAP_SWIZZLE_NONE  ? 0
                    : swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? 1
                    : swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 3
                                                           : 7;
    return at ^ (at >> 7 & bits) << 4;
}

struct Tensor {
    int rank, size;
    CUtensorMapDataType type;
    cuuint64_t dims[5], strides[5]; // strides[0] is that of dimension 1
    cuuint32_t box[5], steps[5];
    CUtensorMapSwizzle swizzle;
    bool nan;
};

/// Calls f(byte in the box, byte in memory or -1 outside of the tensor) for each element.
template <class F> unsigned each_element(const Tensor &t, const Place &place, bool out, F f) {
    unsigned counts[5], total = 1;
    for (int i = 0; i < t.rank; i++) {
        unsigned step = i == 0 ? 1 : t.steps[i];
        counts[i] = (t.box[i] + step - 1) / step;
        total *= counts[i];
    }
    for (unsigned n = 0; n < total; n++) {
        unsigned rest = n;
        long long offset = 0;
        bool inside = true;
        for (int i = 0; i < t.rank; i++) {
            long long at = place.at[i] + (long long)(rest % counts[i]) * (i == 0 ? 1 : t.steps[i]);
            rest /= counts[i];
            // Copies out are cut off at the end of 16 bytes.
            long long end = out && i == 0 ? (t.dims[0] * t.size + 15) / 16 * 16 / t.size : t.dims[i];
            inside &= at >= 0 && at < end;
            offset += at * (long long)(i == 0 ? t.size : t.strides[i - 1]);
        }
        // Rows of a swizzled box are as far apart as the pattern is wide.
        unsigned row = n / counts[0], pitch = t.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? counts[0] * t.size : 16u << t.swizzle;
        f(swizzled(row * pitch + n % counts[0] * t.size, t.swizzle), inside ? offset : -1);
    }
    return total * t.size;
}

void describe(const Tensor &t, const Place &place) {
    std::printf("type %d size %d swizzle %d fill %d:", t.type, t.size, t.swizzle, t.nan);
    for (int d = 0; d < t.rank; d++)
        std::printf(" (dim %llu stride %llu box %u step %u at %d)", (unsigned long long)t.dims[d],
                    (unsigned long long)t.strides[d], t.box[d], t.steps[d], place.at[d]);
    std::printf("\n");
}

int main(int argc, char **argv) {
    auto encode = driver_function<EncodeTiled>("cuTensorMapEncodeTiled");
    auto encode_im2col = driver_function<EncodeIm2col>("cuTensorMapEncodeIm2col");
    constexpr size_t MEMORY = 1 << 20;
    std::vector<unsigned char> host(MEMORY), box_host(BOX_BYTES);
    DeviceArray<unsigned char> memory(MEMORY), box(BOX_BYTES);
    Random random(size_argument(argc, argv, 99));
    auto below = [&](int n) { return int(random.next() % n); };

    const struct {
        CUtensorMapDataType type;
        int size;
        bool is_float;
    } TYPES[] = {
        {CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, false},   {CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, false},
        {CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, false},  {CU_TENSOR_MAP_DATA_TYPE_INT32, 4, false},
        {CU_TENSOR_MAP_DATA_TYPE_UINT64, 8, false},  {CU_TENSOR_MAP_DATA_TYPE_INT64, 8, false},
        {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, true},  {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, true},
        {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8, true},  {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, true},
    };
    int rounds = 0;
    while (rounds < 100) {
        Tensor t = {};
        t.rank = 1 + below(5);
        auto type = TYPES[below(10)];
        t.type = type.type;
        t.size = type.size;
        t.nan = type.is_float && below(2);
        t.swizzle = CUtensorMapSwizzle(below(4));
        unsigned span = t.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 256 : 16u << t.swizzle;
        unsigned bytes = t.size, rows = 1;
        cuuint64_t stride = 0;
        for (int i = 0; i < t.rank; i++) {
            t.dims[i] = 1 + below(i < 2 ? 70 : 9);
            t.steps[i] = i > 0 && below(3) == 0 ? 1 + below(3) : 1;
            unsigned step = i == 0 ? 1 : t.steps[i];
            t.box[i] = i == 0 ? (16u / t.size > 0 ? 16u / t.size : 1) * (1 + below(span / 16)) : 1 + below(i == 1 ? 20 : 4);
            if (t.box[i] > 256) t.box[i] = 256;
            bytes *= (t.box[i] + step - 1) / step;
            if (i > 0) rows *= (t.box[i] + step - 1) / step;
            stride = i == 0 ? (t.dims[0] * t.size + 15) / 16 * 16 + 16 * below(2) : stride * t.dims[i];
            t.strides[i] = stride;
        }
        if (bytes > BOX_BYTES || rows * (16u << t.swizzle) > BOX_BYTES || stride > MEMORY || t.box[0] * t.size > span) continue;
        CUtensorMap map;
        CUresult result =
            encode(&map, t.type, t.rank, memory.get(), t.dims, t.strides, t.box, t.steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                   t.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   t.nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        if (result != CUDA_SUCCESS) fail("cuTensorMapEncodeTiled: %d in round %d", int(result), rounds);
        Place place;
        for (int i = 0; i < 5; i++) place.at[i] = i < t.rank ? below(int(t.dims[i]) + 6) - 4 : 0;
        // Rows begin at multiples of 16 bytes.
        int unit = 16 / t.size;
        place.at[0] = (below(int(t.dims[0]) / unit + 3) - 1) * unit;

        for (auto &byte : host) byte = (unsigned char)random.next();
        if (type.is_float)
            // Numbers whose sums are exact.
            for (size_t i = 0; i + t.size <= MEMORY; i += t.size) {
                int value = below(64);
                float single = float(value);
                double twice = value;
                unsigned short half = value == 0 ? 0 : (unsigned short)((15 + ilogbf(single)) << 10 | (unsigned(single / exp2f(float(ilogbf(single))) * 1024) & 1023));
                unsigned bits;
                memcpy(&bits, &single, 4);
                unsigned short brain = (unsigned short)(bits >> 16);
                if (t.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32) memcpy(&host[i], &single, 4);
                if (t.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT64) memcpy(&host[i], &twice, 8);
                if (t.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16) memcpy(&host[i], &half, 2);
                if (t.type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16) memcpy(&host[i], &brain, 2);
            }
        memory.copy_from(host);

        // In.
        std::vector<unsigned char> expected(BOX_BYTES, 0xee);
        unsigned whole = each_element(t, place, false, [&](unsigned in_box, long long offset) {
            // Outside of the tensor: zeros, or a NaN that asks for zeros in what follows.
            for (int b = 0; b < t.size; b++)
                expected[in_box + b] = offset >= 0 ? host[offset + b] : !t.nan ? 0 : b % 2 ? 0x7f : 0xf7;
        });
        copy_box<<<1, 64>>>(map, t.rank, place, LOAD, whole, box.get());
        if (cudaDeviceSynchronize() != cudaSuccess) describe(t, place);
        CUDA_FINISH();
        auto got = box.to_host();
        if (got != expected) {
            size_t i = 0;
            while (got[i] == expected[i]) i++;
            describe(t, place);
            fail_at("box", i, got[i], expected[i], "");
        }

        // Out, and added.
        for (Work work : {STORE, ADD}) {
            bool addable = t.size >= 4 || type.is_float;
            // No negative coordinates: copies out do not take them.
            for (int &at : place.at) at = at < 0 ? -at : at;
            if (work == ADD && (!addable || t.type == CU_TENSOR_MAP_DATA_TYPE_INT64)) continue;
            auto result_expected = host;
            for (size_t i = 0; i < BOX_BYTES; i++) box_host[i] = host[MEMORY - BOX_BYTES + i];
            each_element(t, place, true, [&](unsigned in_box, long long offset) {
                if (offset < 0) return;
                unsigned char *to = &result_expected[offset];
                const unsigned char *from = &box_host[in_box];
                if (work == STORE) {
                    memcpy(to, from, t.size);
                    return;
                }
                if (!type.is_float) {
                    unsigned long long a = 0, b = 0;
                    memcpy(&a, to, t.size);
                    memcpy(&b, from, t.size);
                    a += b;
                    memcpy(to, &a, t.size);
                } else if (t.size == 8) {
                    double a, b;
                    memcpy(&a, to, 8);
                    memcpy(&b, from, 8);
                    a += b;
                    memcpy(to, &a, 8);
                } else if (t.size == 4) {
                    float a, b;
                    memcpy(&a, to, 4);
                    memcpy(&b, from, 4);
                    a += b;
                    memcpy(to, &a, 4);
                } else {
                    unsigned short x, y;
                    memcpy(&x, to, 2);
                    memcpy(&y, from, 2);
                    bool half = t.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
                    int digits = half ? 10 : 7, bias = half ? 15 : 127;
                    auto number = [&](unsigned short v) {
                        return v == 0 ? 0.0f : ldexpf(float((v & ((1 << digits) - 1)) | 1 << digits), (v >> digits) - bias - digits);
                    };
                    float sum = number(x) + number(y);
                    unsigned short bits = sum == 0 ? 0 : (unsigned short)((bias + ilogbf(sum)) << digits | (unsigned(sum / exp2f(float(ilogbf(sum))) * (1 << digits)) & ((1 << digits) - 1)));
                    memcpy(to, &bits, 2);
                }
            });
            memory.copy_from(host);
            box.copy_from(box_host);
            copy_box<<<1, 64>>>(map, t.rank, place, work, whole, box.get());
            if (cudaDeviceSynchronize() != cudaSuccess) {
                std::printf("%s: ", work == STORE ? "out" : "added");
                describe(t, place);
            }
            CUDA_FINISH();
            auto after = memory.to_host();
            if (after != result_expected) {
                size_t i = 0;
                while (after[i] == result_expected[i]) i++;
                std::printf("round %d work %d rank %d type %d swizzle %d\n", rounds, work, t.rank, t.type, t.swizzle);
                fail_at("memory", i, after[i], result_expected[i], "");
            }
        }
        rounds++;
    }

    // Windows of images: channels, columns, rows, images.
    for (int round = 0; round < 40; round++) {
        cuuint64_t dims[4] = {cuuint64_t(16 + 8 * below(3)), cuuint64_t(5 + below(8)), cuuint64_t(4 + below(8)), 3};
        cuuint64_t strides[3] = {dims[0] * 2, dims[0] * 2 * dims[1], dims[0] * 2 * dims[1] * dims[2]};
        int lower[2] = {-below(3), -below(3)}, upper[2] = {-below(3), -below(3)};
        cuuint32_t channels = 8u << below(2), pixels = 1 + below(40);
        cuuint32_t steps[4] = {1, cuuint32_t(1 + below(2)), cuuint32_t(1 + below(2)), 1};
        CUtensorMapSwizzle swizzle = CUtensorMapSwizzle(below(3) == 0 && channels == 16 ? 1 : 0);
        CUtensorMap map;
        CUresult result = encode_im2col(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 4, memory.get(), dims, strides, lower, upper,
                                        channels, pixels, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        if (result != CUDA_SUCCESS) fail("cuTensorMapEncodeIm2col: %d", int(result));
        for (auto &byte : host) byte = (unsigned char)random.next();
        memory.copy_from(host);
        int width = int(dims[1]) + upper[0] - lower[0], height = int(dims[2]) + upper[1] - lower[1];
        int left = below(3), up = below(3);
        Place place = {{below(3) * 8, lower[0] + below((width + int(steps[1]) - 1) / int(steps[1])) * int(steps[1]), lower[1] + below((height + int(steps[2]) - 1) / int(steps[2])) * int(steps[2]), below(2), 0}};
        std::vector<unsigned char> expected(BOX_BYTES, 0xee);
        int w = place.at[1], h = place.at[2], n = place.at[3];
        for (unsigned p = 0; p < pixels; p++) {
            for (unsigned c = 0; c < channels; c++) {
                long long at[4] = {place.at[0] + (long long)c, w + left, h + up, n};
                bool inside = true;
                long long offset = 2 * at[0];
                for (int i = 0; i < 4; i++) {
                    inside &= at[i] >= 0 && at[i] < (long long)dims[i];
                    if (i > 0) offset += at[i] * (long long)strides[i - 1];
                }
                unsigned in_box = swizzled((p * channels + c) * 2, swizzle);
                for (int b = 0; b < 2; b++) expected[in_box + b] = inside ? host[offset + b] : 0;
            }
            w += steps[1];
            if (w >= int(dims[1]) + upper[0]) {
                w = lower[0];
                h += steps[2];
                if (h >= int(dims[2]) + upper[1]) {
                    h = lower[1];
                    n++;
                }
            }
        }
        copy_window<<<1, 64>>>(map, place, (unsigned short)left, (unsigned short)up, pixels * channels * 2, box.get());
        CUDA_FINISH();
        auto got = box.to_host();
        if (got != expected) {
            size_t i = 0;
            while (got[i] == expected[i]) i++;
            std::printf("window %d: dims %d %d %d lower %d %d upper %d %d steps %d %d channels %d pixels %d at %d %d %d %d off %d %d swizzle %d\n", round,
                        int(dims[0]), int(dims[1]), int(dims[2]), lower[0], lower[1], upper[0], upper[1], steps[1], steps[2], channels, pixels,
                        place.at[0], place.at[1], place.at[2], place.at[3], left, up, swizzle);
            fail_at("window", i, got[i], expected[i], "");
        }
    }

    std::vector<unsigned> words(256);
    for (unsigned i = 0; i < 256; i++) words[i] = i * 2654435761u;
    DeviceArray<unsigned> rows(words), out(8 * 256);
    CUtensorMap map;
    cuuint64_t dims[2] = {64, 4}, strides[1] = {256};
    cuuint32_t box_dims[2] = {64, 1}, steps[2] = {1, 1};
    EXPECT(encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, rows.get(), dims, strides, box_dims, steps,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    if (has_clusters()) {
        share_box<<<8, 64>>>(map, out.get());
        CUDA_FINISH();
        auto shared = out.to_host();
        for (int block = 0; block < 8; block++)
            for (int i = 0; i < 256; i++) EXPECT(shared[block * 256 + i] == words[i]);
    }

    // What cannot be.
    EXPECT(encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 6, rows.get(), dims, strides, box_dims, steps,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE);
    return pass("tensor_copies");
}
