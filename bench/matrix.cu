// bench: arch = compute_80
// Products of matrices by one warp, and so on one core: the time of one instruction. In place of a checksum stands
// how many operations it has.
#include "cuda_bench.h"

// A type for an instruction; the registers of accumulators are read and written.
#define PRODUCT(NAME, INSTRUCTION, D_REGISTERS, A_REGISTERS, B_REGISTERS)                                     \
    struct NAME {                                                                                            \
        static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {       \
            asm volatile(INSTRUCTION " " D_REGISTERS ", " A_REGISTERS ", " B_REGISTERS ", " D_REGISTERS ";"  \
                         : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                    \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                \
        }                                                                                                    \
    };

#define FOUR "{%0, %1, %2, %3}"
#define TWO "{%0, %1}"
#define A_FOUR "{%4, %5, %6, %7}"
#define B_TWO "{%8, %9}"

PRODUCT(F16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", FOUR, A_FOUR, B_TWO)
PRODUCT(F16Short, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", FOUR, "{%4, %5}", "{%8}")
PRODUCT(F16Sums, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", TWO, A_FOUR, B_TWO)
PRODUCT(Bf16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", FOUR, A_FOUR, B_TWO)
PRODUCT(Tf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", FOUR, A_FOUR, B_TWO)
PRODUCT(S8, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", FOUR, A_FOUR, B_TWO)
PRODUCT(U8, "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", FOUR, A_FOUR, B_TWO)
PRODUCT(S4, "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", FOUR, A_FOUR, B_TWO)

// Words of factors are random in the bits of `mask`, and have those of `base`.
template <class Product> __global__ void products(unsigned *out, int count, unsigned mask, unsigned base) {
    unsigned seed = 131 * threadIdx.x + 7;
    unsigned a[2][4], b[2][2], d[4][4] = {};
    auto random = [&] { return ((seed = seed * 1664525u + 1013904223u) & mask) | base; };
    for (auto &registers : a)
        for (unsigned &word : registers) word = random();
    for (auto &registers : b)
        for (unsigned &word : registers) word = random();
    for (int i = 0; i < count; i += 4)
        for (int j = 0; j < 4; ++j) Product::run(d[j], a[j / 2], b[j % 2]);
    unsigned sum = 0;
    for (auto &registers : d)
        for (unsigned word : registers) sum = 31 * sum + word;
    out[threadIdx.x] = sum;
}

template <class Product> void measure(const char *name, double operations, unsigned mask, unsigned base) {
    static unsigned *out = to_device(std::vector<unsigned>(32));
    const int count = 10000;
    auto launch = [&] { products<Product><<<1, 32>>>(out, count, mask, base); };
    measure_launch(name, launch, [&] { return operations; }, count);
}

int main() {
    // Exponents of some values below that of one.
    measure<F16>("m16n8k16_f16", 2 * 16 * 8 * 16, 0x8fff8fff, 0x30003000);
    measure<F16Short>("m16n8k8_f16", 2 * 16 * 8 * 8, 0x8fff8fff, 0x30003000);
    measure<F16Sums>("m16n8k16_f16_sums_of_f16", 2 * 16 * 8 * 16, 0x87ff87ff, 0x20002000);
    measure<Bf16>("m16n8k16_bf16", 2 * 16 * 8 * 16, 0x83ff83ff, 0x3c003c00);
    measure<Tf32>("m16n8k8_tf32", 2 * 16 * 8 * 8, 0x83ffffff, 0x3c000000);
    measure<S8>("m16n8k32_s8", 2 * 16 * 8 * 32, ~0u, 0);
    measure<U8>("m16n8k32_u8", 2 * 16 * 8 * 32, ~0u, 0);
    measure<S4>("m16n8k64_s4", 2 * 16 * 8 * 64, ~0u, 0);
}
