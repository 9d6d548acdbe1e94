// Cooperative groups: sums in tiles of a warp, compaction by coalesced groups, and a cooperative launch
// whose blocks meet at grid.sync().
#include "sample.h"

#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

template <int SIZE> __global__ void tile_sums(const int *values, int *sums) {
    auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = values[i];
    for (int offset = tile.size() / 2; offset > 0; offset /= 2) sum += tile.shfl_down(sum, offset);
    if (tile.thread_rank() == 0) sums[i / SIZE] = sum;
}

// The library's own reduction and scan.
__global__ void tile_reduce(const int *values, int *maxima, int *prefixes) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int maximum = cg::reduce(tile, values[i], cg::greater<int>());
    if (tile.thread_rank() == 0) maxima[i / 16] = maximum;
    prefixes[i] = cg::exclusive_scan(tile, values[i]);
}

// Keeps the multiples of three. One atomic for all threads that come through together.
__global__ void compact(const int *values, int count, int *kept, int *kept_count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count || values[i] % 3 != 0) return;
    auto group = cg::coalesced_threads();
    int start = 0;
    if (group.thread_rank() == 0) start = atomicAdd(kept_count, int(group.size()));
    start = group.shfl(start, 0);
    kept[start + group.thread_rank()] = values[i];
}

// Rounds of smoothing over a ring; every round reads what all blocks wrote in the one before.
__global__ void smooth(int *from, int *to, int count, int rounds) {
    auto grid = cg::this_grid();
    for (int round = 0; round < rounds; ++round) {
        for (int i = grid.thread_rank(); i < count; i += grid.size())
            to[i] = from[(i + count - 1) % count] + 2 * from[i] + from[(i + 1) % count];
        grid.sync();
        int *swap = from;
        from = to;
        to = swap;
    }
}

template <int SIZE> void check_tile_sums(const DeviceArray<int> &values, const std::vector<int> &host) {
    DeviceArray<int> sums(host.size() / SIZE);
    tile_sums<SIZE><<<host.size() / 128, 128>>>(values.get(), sums.get());
    CUDA_FINISH();
    std::vector<int> expected(host.size() / SIZE, 0);
    for (size_t i = 0; i < host.size(); ++i) expected[i / SIZE] += host[i];
    expect_equal("tile sums", sums.to_host(), expected);
}

int main() {
    const int count = 1024;
    Random random(5);
    auto host = random.numbers<int>(count, -1000, 1000);
    DeviceArray<int> values(host);

    check_tile_sums<4>(values, host);
    check_tile_sums<8>(values, host);
    check_tile_sums<32>(values, host);

    DeviceArray<int> maxima(count / 16), prefixes(count);
    tile_reduce<<<count / 64, 64>>>(values.get(), maxima.get(), prefixes.get());
    CUDA_FINISH();
    std::vector<int> expected_maxima(count / 16), expected_prefixes(count);
    for (int i = 0; i < count; ++i) {
        int &maximum = expected_maxima[i / 16];
        maximum = i % 16 == 0 ? host[i] : std::max(maximum, host[i]);
        expected_prefixes[i] = i % 16 == 0 ? 0 : expected_prefixes[i - 1] + host[i - 1];
    }
    expect_equal("tile maxima", maxima.to_host(), expected_maxima);
    expect_equal("tile prefixes", prefixes.to_host(), expected_prefixes);

    DeviceArray<int> kept(count), kept_count(1);
    kept_count.fill_bytes(0);
    compact<<<(count + 99) / 100, 100>>>(values.get(), count, kept.get(), kept_count.get());
    CUDA_FINISH();
    std::vector<int> expected_kept;
    for (int value : host)
        if (value % 3 == 0) expected_kept.push_back(value);
    expect_equal("kept count", kept_count.to_host()[0], int(expected_kept.size()));
    auto got_kept = kept.to_host();
    got_kept.resize(expected_kept.size());
    std::sort(got_kept.begin(), got_kept.end());
    std::sort(expected_kept.begin(), expected_kept.end());
    expect_equal("kept values", got_kept, expected_kept);

    int supported = 0, per_multiprocessor = 0, multiprocessors = 0;
    CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    if (!supported) fail("the device has no cooperative launch");
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, smooth, 64, 0));
    CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    int blocks = std::min(6, per_multiprocessor * multiprocessors);
    if (blocks < 1) fail("no block fits the device");

    int rounds = 6, ring = 500;
    auto ring_host = random.numbers<int>(ring, -100, 100);
    DeviceArray<int> from(ring_host), to(ring);
    int *from_pointer = from.get(), *to_pointer = to.get();
    void *arguments[] = {&from_pointer, &to_pointer, &ring, &rounds};
    CUDA(cudaLaunchCooperativeKernel((const void *)smooth, dim3(blocks), dim3(64), arguments, 0, nullptr));
    CUDA_FINISH();
    for (int round = 0; round < rounds; ++round) {
        auto before = ring_host;
        for (int i = 0; i < ring; ++i)
            ring_host[i] = before[(i + ring - 1) % ring] + 2 * before[i] + before[(i + 1) % ring];
    }
    expect_equal("smoothed", from.to_host(), ring_host);
    return pass("reduce_cooperative");
}
