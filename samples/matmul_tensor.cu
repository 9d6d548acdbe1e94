// sample: arch = compute_80
// sample: machine_code = matrices of fragments
// Matrix products by tensor core instructions: the warp matrix functions of mma.h, and mma.sync with ldmatrix.
#include "sample.h"

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// Blocks of one warp; each makes 16 x 16 elements of c = a * b, with a in rows and b in columns.
__global__ void by_fragments(const half *a, const half *b, float *c, int n, int k) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fragment_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fragment_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    int row = 16 * blockIdx.y, column = 16 * blockIdx.x;
    for (int start = 0; start < k; start += 16) {
        wmma::load_matrix_sync(fragment_a, a + row * k + start, k);
        wmma::load_matrix_sync(fragment_b, b + column * k + start, k);
        wmma::mma_sync(sum, fragment_a, fragment_b, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// Blocks of one warp; each makes 16 x 8 elements.
__global__ void by_instructions(const half *a, const half *b, float *c, int n, int k) {
    __shared__ __align__(16) half tile[16 * 16];
    int lane = threadIdx.x, group = lane / 4, within = lane % 4;
    int row = 16 * blockIdx.y, column = 8 * blockIdx.x;
    float sum[4] = {};
    for (int start = 0; start < k; start += 16) {
        // Half a row for each thread.
        const half *source = a + (row + lane / 2) * k + start + lane % 2 * 8;
        *(uint4 *)(tile + lane * 8) = *(const uint4 *)source;
        __syncwarp();
        unsigned a_registers[4], b_registers[2];
        unsigned place = __cvta_generic_to_shared(tile + lane % 16 * 16 + lane / 16 * 8);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a_registers[0]), "=r"(a_registers[1]), "=r"(a_registers[2]), "=r"(a_registers[3])
                     : "r"(place)
                     : "memory");
        for (int i = 0; i < 2; ++i)
            b_registers[i] = *(const unsigned *)(b + (column + group) * k + start + 8 * i + 2 * within);
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                     "{%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "r"(a_registers[0]), "r"(a_registers[1]), "r"(a_registers[2]), "r"(a_registers[3]),
                       "r"(b_registers[0]), "r"(b_registers[1]));
        __syncwarp();
    }
    for (int i = 0; i < 4; ++i)
        c[(row + group + i / 2 * 8) * n + column + 2 * within + i % 2] = sum[i];
}

// Bytes: the product is exact.
__global__ void of_bytes(const signed char *a, const signed char *b, int *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fragment_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> fragment_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    wmma::fill_fragment(sum, 7);
    wmma::load_matrix_sync(fragment_a, a, 16);
    wmma::load_matrix_sync(fragment_b, b, 16);
    wmma::mma_sync(sum, fragment_a, fragment_b, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_col_major);
}

int main() {
    const int m = 32, n = 48, k = 64;
    Random random(5);
    auto numbers_a = random.numbers<float>(m * k, -1, 1), numbers_b = random.numbers<float>(n * k, -1, 1);
    std::vector<half> a(m * k), b(n * k);
    for (int i = 0; i < m * k; ++i) a[i] = __float2half(numbers_a[i]);
    for (int i = 0; i < n * k; ++i) b[i] = __float2half(numbers_b[i]);
    std::vector<float> expected(m * n);
    for (int row = 0; row < m; ++row)
        for (int column = 0; column < n; ++column) {
            double sum = 0;
            for (int i = 0; i < k; ++i)
                sum += double(__half2float(a[row * k + i])) * double(__half2float(b[column * k + i]));
            expected[row * n + column] = float(sum);
        }
    DeviceArray<half> device_a(a), device_b(b);
    DeviceArray<float> device_c(m * n);
    // Four sums of 17 terms, each cut to 2^-25 of the largest, and cut once more: all below 16.
    const double bound = 4 * 18 * 16 * 3e-8 * 2;

    by_fragments<<<dim3(n / 16, m / 16), 32>>>(device_a.get(), device_b.get(), device_c.get(), n, k);
    CUDA_FINISH();
    auto first = device_c.to_host();
    expect_near("product by fragments", first, expected, bound);
    print_hash("fragments", first);

    device_c.fill_bytes(0);
    by_instructions<<<dim3(n / 8, m / 16), 32>>>(device_a.get(), device_b.get(), device_c.get(), n, k);
    CUDA_FINISH();
    auto second = device_c.to_host();
    expect_near("product by instructions", second, expected, bound);
    print_hash("instructions", second);

    std::vector<signed char> bytes_a(256), bytes_b(256);
    for (auto &value : bytes_a) value = (signed char)random.next();
    for (auto &value : bytes_b) value = (signed char)random.next();
    std::vector<int> expected_bytes(256);
    for (int row = 0; row < 16; ++row)
        for (int column = 0; column < 16; ++column) {
            int sum = 7;
            for (int i = 0; i < 16; ++i) sum += bytes_a[row * 16 + i] * bytes_b[i * 16 + column];
            expected_bytes[column * 16 + row] = sum;
        }
    DeviceArray<signed char> device_bytes_a(bytes_a), device_bytes_b(bytes_b);
    DeviceArray<int> device_sums(256);
    of_bytes<<<1, 32>>>(device_bytes_a.get(), device_bytes_b.get(), device_sums.get());
    CUDA_FINISH();
    expect_equal("product of bytes", device_sums.to_host(), expected_bytes);
    return pass("matmul_tensor");
}
