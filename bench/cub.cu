// Algorithms of CUB as the toolkit has them.
#include "cuda_bench.h"
#include "sizes.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

int main() {
    int *values = to_device(random_integers<int>(SCAN_COUNT, 1000, 1)), *sums = on_device<int>(SCAN_COUNT);
    unsigned *keys = to_device(random_integers<unsigned>(SORT_COUNT, 4294967295.0, 2));
    unsigned *sorted = on_device<unsigned>(SORT_COUNT);
    size_t bytes_to_scan = 0, bytes_to_sort = 0;
    CUDA(cub::DeviceScan::InclusiveSum(nullptr, bytes_to_scan, values, sums, SCAN_COUNT));
    CUDA(cub::DeviceRadixSort::SortKeys(nullptr, bytes_to_sort, keys, sorted, SORT_COUNT));
    char *storage = on_device<char>(std::max(bytes_to_scan, bytes_to_sort));
    measure_kernel("scan_cub", sums, SCAN_COUNT, [&] {
        CUDA(cub::DeviceScan::InclusiveSum(storage, bytes_to_scan, values, sums, SCAN_COUNT));
    });
    measure_kernel("sort_radix_cub", sorted, SORT_COUNT, [&] {
        CUDA(cub::DeviceRadixSort::SortKeys(storage, bytes_to_sort, keys, sorted, SORT_COUNT));
    });
}
