// Matrix product, one thread an element, all operands from global memory; sizes that divide nothing.
#include "sample.h"

__global__ void matmul(const float *a, const float *b, float *c, int rows, int inner, int columns) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || column >= columns) return;
    float sum = 0;
    for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
    c[row * columns + column] = sum;
}

int main(int argc, char **argv) {
    int size = size_argument(argc, argv, 45);
    int rows = size, inner = size + 6, columns = size + 17;
    Random random(2);
    auto a = random.numbers<float>(rows * inner, -1, 1);
    auto b = random.numbers<float>(inner * columns, -1, 1);
    DeviceArray<float> device_a(a), device_b(b), device_c(rows * columns);

    dim3 block(16, 16), grid((columns + 15) / 16, (rows + 15) / 16);
    matmul<<<grid, block>>>(device_a.get(), device_b.get(), device_c.get(), rows, inner, columns);
    CUDA_FINISH();

    std::vector<float> expected(rows * columns);
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            double sum = 0;
            for (int k = 0; k < inner; ++k) sum += double(a[row * inner + k]) * b[k * columns + column];
            expected[row * columns + column] = float(sum);
        }
    // `inner` roundings of sums below `inner`, each at most half a unit in the last place.
    auto c = device_c.to_host();
    expect_near("product", c, expected, inner * inner * 6e-8);
    print_hash("product", c);
    return pass("matmul_naive");
}
