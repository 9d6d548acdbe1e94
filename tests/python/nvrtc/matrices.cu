// Matrix instructions, from CUDA's header and as inline PTX.
#include <mma.h>

using namespace nvcuda::wmma;

extern "C" __global__ void wmma_half(const half *a, const half *b, float *c) {
    fragment<matrix_a, 16, 16, 16, half, row_major> left;
    fragment<matrix_b, 16, 16, 16, half, col_major> right;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    load_matrix_sync(left, a, 16);
    load_matrix_sync(right, b, 16);
    mma_sync(sum, left, right, sum);
    store_matrix_sync(c, sum, 16, mem_row_major);
}

extern "C" __global__ void wmma_integers(const signed char *a, const signed char *b, int *c) {
    fragment<matrix_a, 32, 8, 16, signed char, row_major> left;
    fragment<matrix_b, 32, 8, 16, signed char, row_major> right;
    fragment<accumulator, 32, 8, 16, int> sum;
    load_matrix_sync(sum, c, 8, mem_row_major);
    load_matrix_sync(left, a, 16);
    load_matrix_sync(right, b, 8);
    mma_sync(sum, left, right, sum);
    store_matrix_sync(c, sum, 8, mem_row_major);
}

extern "C" __global__ void wmma_double(const double *a, const double *b, double *c) {
    fragment<matrix_a, 8, 8, 4, double, row_major> left;
    fragment<matrix_b, 8, 8, 4, double, col_major> right;
    fragment<accumulator, 8, 8, 4, double> sum;
    fill_fragment(sum, 0.0);
    load_matrix_sync(left, a, 4);
    load_matrix_sync(right, b, 4);
    mma_sync(sum, left, right, sum);
    store_matrix_sync(c, sum, 8, mem_row_major);
}

extern "C" __global__ void assembly(const unsigned *a, const unsigned *b, float *c) {
    extern __shared__ unsigned shared[];
    unsigned at = (unsigned) __cvta_generic_to_shared(shared + threadIdx.x * 4), r[4];
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n\tcp.async.commit_group;\n\tcp.async.wait_group 0;"
                 :: "r"(at), "l"(a + threadIdx.x * 4) : "memory");
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
    float d[4] = {};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(b[0]), "r"(b[1]));
    asm volatile("{ .reg .pred p; .reg .b32 t; setp.ne.b32 p, %1, 0; @p mov.b32 t, 5; @!p mov.b32 t, %1;\n\t"
                 "lop3.b32 %0, t, %1, %2, 0xe8; }" : "=r"(r[0]) : "r"(r[1]), "r"(r[2]));
    asm("{\n\t.reg .u64 t;\n\tcvta.to.shared.u64 t, %1;\n\tcvt.u32.u64 %0, t; }" : "=r"(r[3]) : "l"(shared));
    c[threadIdx.x] = d[0] + d[1] + d[2] + d[3] + r[0] + r[3];
}
