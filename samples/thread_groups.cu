// Cooperative groups of all kinds below the block: tiles of every size, the threads that happen to be
// together, and those that a condition or a label brings together.
#include "sample.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

template <int SIZE> __device__ void tile_sums(unsigned *out, unsigned value) {
    auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
    unsigned sum = value;
    for (int step = SIZE / 2; step; step /= 2) sum += tile.shfl_down(sum, step);
    sum = tile.shfl(sum, 0);
    out[threadIdx.x] = sum + 1000 * tile.meta_group_rank() + 100000 * tile.thread_rank();
}

__global__ void tiles(unsigned *out) {
    unsigned value = threadIdx.x % 13, count = blockDim.x;
    tile_sums<1>(out, value);
    tile_sums<2>(out + count, value);
    tile_sums<4>(out + 2 * count, value);
    tile_sums<8>(out + 3 * count, value);
    tile_sums<16>(out + 4 * count, value);
    tile_sums<32>(out + 5 * count, value);
    auto block = cg::this_thread_block();
    auto dynamic = cg::tiled_partition(block, 8);
    out[6 * count + threadIdx.x] = dynamic.size() * 100 + dynamic.thread_rank();
}

__global__ void together(unsigned *out) {
    unsigned lane = threadIdx.x % 32, count = blockDim.x;
    out[threadIdx.x] = 0;
    if (lane % 3 == 1) {
        auto group = cg::coalesced_threads();
        unsigned sum = cg::reduce(group, lane, cg::plus<unsigned>());
        out[threadIdx.x] = sum * 100 + group.thread_rank();
        if (lane > 15) {
            auto inner = cg::coalesced_threads();
            out[threadIdx.x] += 1000000 * inner.size() + 10000000 * inner.shfl(lane, inner.size() - 1);
        }
    }
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto half = cg::binary_partition(warp, lane % 5 < 2);
    out[count + threadIdx.x] = half.size() * 100 + cg::inclusive_scan(half, lane, cg::plus<unsigned>());
    auto label = cg::labeled_partition(warp, int(lane % 7));
    out[2 * count + threadIdx.x] = label.size() * 100 + label.shfl(lane, label.size() - 1);
    // The group of an `if` goes on in both of its ways.
    unsigned total = lane < 9 ? cg::reduce(warp, lane, cg::plus<unsigned>())
                              : cg::reduce(warp, lane, cg::plus<unsigned>()) + 1;
    out[3 * count + threadIdx.x] = total;
}

int main() {
    const unsigned threads = 96;
    DeviceArray<unsigned> out(7 * threads);
    tiles<<<1, threads>>>(out.get());
    CUDA_FINISH();
    auto got = out.to_host();
    for (unsigned i = 0; i < threads; ++i) {
        for (unsigned power = 0; power < 6; ++power) {
            unsigned size = 1u << power, first = i / size * size, sum = 0;
            for (unsigned j = first; j < first + size; ++j) sum += j % 13;
            unsigned expected = sum + 1000 * (i / size) + 100000 * (i % size);
            expect_equal("tile", got[power * threads + i], expected);
        }
        expect_equal("dynamic tile", got[6 * threads + i], 800 + i % 8);
    }

    DeviceArray<unsigned> apart(4 * threads);
    together<<<1, threads>>>(apart.get());
    CUDA_FINISH();
    got = apart.to_host();
    auto lanes_where = [](auto condition) {
        std::vector<unsigned> lanes;
        for (unsigned lane = 0; lane < 32; ++lane)
            if (condition(lane)) lanes.push_back(lane);
        return lanes;
    };
    auto rank_in = [](const std::vector<unsigned> &lanes, unsigned lane) {
        unsigned rank = 0;
        while (lanes[rank] != lane) ++rank;
        return rank;
    };
    for (unsigned i = 0; i < threads; ++i) {
        unsigned lane = i % 32, expected = 0;
        if (lane % 3 == 1) {
            auto lanes = lanes_where([](unsigned lane) { return lane % 3 == 1; });
            for (unsigned other : lanes) expected += other * 100;
            expected += rank_in(lanes, lane);
            auto inner = lanes_where([](unsigned lane) { return lane % 3 == 1 && lane > 15; });
            if (lane > 15) expected += 1000000 * unsigned(inner.size()) + 10000000 * inner.back();
        }
        expect_equal("coalesced", got[i], expected);
        bool side = lane % 5 < 2;
        auto half = lanes_where([=](unsigned other) { return (other % 5 < 2) == side; });
        expected = unsigned(half.size()) * 100;
        for (unsigned other : half)
            if (other <= lane) expected += other;
        expect_equal("binary partition", got[threads + i], expected);
        auto label = lanes_where([=](unsigned other) { return other % 7 == lane % 7; });
        expect_equal("labeled partition", got[2 * threads + i], unsigned(label.size()) * 100 + label.back());
        expect_equal("in both ways", got[3 * threads + i], 496u + (lane < 9 ? 0 : 1));
    }
    return pass("thread_groups");
}
