#include "cuda_bench.h"
#include "sizes.h"

// The place of the first number that is not below the wanted one.
__global__ void search(const float *sorted, const float *wanted, int *places) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = wanted[i];
    int low = 0, high = SORTED_COUNT;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    places[i] = low;
}

int main() {
    auto numbers = random_floats(SORTED_COUNT, 1);
    std::sort(numbers.begin(), numbers.end());
    float *sorted = to_device(numbers), *wanted = to_device(random_floats(QUERIES, 2));
    int *places = on_device<int>(QUERIES);
    measure_kernel("binary_search", places, QUERIES, [&] { search<<<QUERIES / 256, 256>>>(sorted, wanted, places); });
}
