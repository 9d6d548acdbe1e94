// A prefix sum in one pass: every block waits for the sums of those before it, 32 at a time, while they are
// still at work (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back").
// sample: machine_code = status and value that are read together
#include "sample.h"

constexpr int THREADS = 128, ITEMS = 4, TILE = THREADS * ITEMS;
constexpr unsigned long long SUM = 1ull << 62, PREFIX = 2ull << 62, VALUE = SUM - 1;

__device__ unsigned long long look_back(volatile unsigned long long *tiles, int tile) {
    unsigned long long before = 0;
    int lane = threadIdx.x;
    for (int end = tile;; end -= 32) {
        int at = end - 1 - lane;
        unsigned long long state = PREFIX;
        do {
            if (at >= 0) state = tiles[at];
        } while (__any_sync(0xffffffff, (state & ~VALUE) == 0));
        unsigned known = __ballot_sync(0xffffffff, (state & PREFIX) != 0);
        int nearest = known ? __ffs(known) - 1 : 31;
        unsigned long long part = lane <= nearest ? state & VALUE : 0;
        for (int step = 16; step; step /= 2) part += __shfl_xor_sync(0xffffffff, part, step);
        before += part;
        if (known) return before;
    }
}

__global__ void scan(const unsigned *in, unsigned long long *out, int count, unsigned *next_tile,
                     unsigned long long *tiles) {
    __shared__ int tile;
    __shared__ unsigned long long sums[THREADS / 32], before;
    if (threadIdx.x == 0) tile = atomicAdd(next_tile, 1);
    __syncthreads();
    int first = tile * TILE + threadIdx.x * ITEMS, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned long long own[ITEMS], sum = 0;
    for (int i = 0; i < ITEMS; ++i) own[i] = sum += first + i < count ? in[first + i] : 0;
    unsigned long long upto = sum;
    for (int step = 1; step < 32; step *= 2) {
        unsigned long long other = __shfl_up_sync(0xffffffff, upto, step);
        if (lane >= step) upto += other;
    }
    if (lane == 31) sums[warp] = upto;
    __syncthreads();
    unsigned long long all = 0, mine = upto - sum;
    for (int i = 0; i < THREADS / 32; ++i) {
        if (i < warp) mine += sums[i];
        all += sums[i];
    }
    if (warp == 0) {
        volatile unsigned long long *states = tiles;
        if (lane == 0 && tile != 0) states[tile] = SUM | all;
        __threadfence();
        unsigned long long found = tile == 0 ? 0 : look_back(states, tile);
        if (lane == 0) {
            before = found;
            states[tile] = PREFIX | (found + all);
        }
    }
    __syncthreads();
    for (int i = 0; i < ITEMS; ++i)
        if (first + i < count) out[first + i] = before + mine + own[i];
}

int main(int argc, char **argv) {
    int count = size_argument(argc, argv, 100003), blocks = (count + TILE - 1) / TILE;
    Random random(20);
    std::vector<unsigned> input = random.numbers<unsigned>(count, 0, 1e9);
    DeviceArray<unsigned> in(input), next(1);
    DeviceArray<unsigned long long> out(count), tiles(blocks);
    next.fill_bytes(0);
    tiles.fill_bytes(0);
    scan<<<blocks, THREADS>>>(in.get(), out.get(), count, next.get(), tiles.get());
    CUDA_FINISH();
    std::vector<unsigned long long> expected(count);
    unsigned long long sum = 0;
    for (int i = 0; i < count; ++i) expected[i] = sum += input[i];
    expect_equal("prefix sums", out.to_host(), expected);
    return pass("look_back");
}
