// Functions that call themselves and each other, to depths that differ between threads, with local arrays.
// sample: machine_code = functions that call themselves
#include "sample.h"

__host__ __device__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__host__ __device__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__host__ __device__ bool is_odd(int n);
__host__ __device__ bool is_even(int n) { return n == 0 || is_odd(n - 1); }
__host__ __device__ bool is_odd(int n) { return n != 0 && is_even(n - 1); }

// Sorts and hashes an array in the stack frame.
__host__ __device__ void quicksort(int *values, int count) {
    if (count < 2) return;
    int pivot = values[count / 2], low = 0, high = count - 1;
    while (low <= high) {
        while (values[low] < pivot) ++low;
        while (values[high] > pivot) --high;
        if (low <= high) {
            int swap = values[low];
            values[low++] = values[high];
            values[high--] = swap;
        }
    }
    quicksort(values, high + 1);
    quicksort(values + low, count - low);
}

__host__ __device__ unsigned sorted_hash(int seed) {
    int values[24];
    unsigned state = seed * 747796405u + 1;
    for (int &value : values) {
        state = state * 1664525u + 1013904223u;
        value = int(state >> 20);
    }
    quicksort(values, 24);
    unsigned hash = 2166136261u;
    for (int value : values) hash = (hash ^ unsigned(value)) * 16777619u;
    return hash;
}

__host__ __device__ void all(int i, unsigned *out) {
    out[0] = fibonacci(i % 13);
    out[1] = ackermann(i % 3, i % 5);
    out[2] = is_even(i) ? 2 : 1;
    out[3] = sorted_hash(i);
}

__global__ void run(unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    all(i, out + 4 * i);
}

int main() {
    const int count = 96;
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 16 * 1024));
    DeviceArray<unsigned> out(4 * count);
    run<<<2, count / 2>>>(out.get());
    CUDA_FINISH();
    std::vector<unsigned> expected(4 * count);
    for (int i = 0; i < count; ++i) all(i, &expected[4 * i]);
    expect_equal("results", out.to_host(), expected);
    return pass("recursion");
}
