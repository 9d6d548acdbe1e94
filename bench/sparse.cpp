#include "sparse.h"

static void multiply(const int *starts, const int *columns, const float *values, const float *vector, float *out) {
#pragma omp parallel for
    for (int row = 0; row < SPARSE_ROWS; ++row) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * vector[columns[i]];
        out[row] = sum;
    }
}

int main() {
    Sparse sparse;
    std::vector<float> out(SPARSE_ROWS);
    auto work = [&] {
        multiply(sparse.starts.data(), sparse.columns.data(), sparse.values.data(), sparse.vector.data(), out.data());
    };
    auto checksum = [&] { return checksum_of(out); };
    measure("spmv_thread_a_row", work, checksum);
    measure("spmv_warp_a_row", work, checksum);
}
