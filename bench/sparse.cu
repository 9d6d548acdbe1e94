#include "cuda_bench.h"
#include "sparse.h"

__global__ void thread_a_row(const int *starts, const int *columns, const float *values, const float *vector,
                             float *out) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * vector[columns[i]];
    out[row] = sum;
}

__global__ void warp_a_row(const int *starts, const int *columns, const float *values, const float *vector,
                           float *out) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32) sum += values[i] * vector[columns[i]];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) out[row] = sum;
}

int main() {
    Sparse sparse;
    int *starts = to_device(sparse.starts), *columns = to_device(sparse.columns);
    float *values = to_device(sparse.values), *vector = to_device(sparse.vector);
    float *out = on_device<float>(SPARSE_ROWS);
    measure_kernel("spmv_thread_a_row", out, SPARSE_ROWS,
                   [&] { thread_a_row<<<SPARSE_ROWS / 256, 256>>>(starts, columns, values, vector, out); });
    measure_kernel("spmv_warp_a_row", out, SPARSE_ROWS,
                   [&] { warp_a_row<<<SPARSE_ROWS / 8, 256>>>(starts, columns, values, vector, out); });
}
