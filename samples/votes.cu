// Votes, ballots, matches and shuffles of a warp: whole, with parts of it, in divergent code, and in a last
// warp that is not full.
#include "sample.h"

constexpr int RESULTS = 14;

__global__ void vote(const int *values, int count, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool inside = i < count;
    int value = inside ? values[i] : -1;
    unsigned results[RESULTS] = {};
    results[0] = __all_sync(0xffffffff, value < 90);
    results[1] = __any_sync(0xffffffff, value > 95);
    results[2] = __ballot_sync(0xffffffff, value & 1);
    results[3] = __match_any_sync(0xffffffff, value % 5);
    int all_equal;
    results[4] = __match_all_sync(0xffffffff, value / 50, &all_equal);
    results[5] = all_equal;
    results[6] = __match_any_sync(0xffffffff, (long long)(value % 3) << 40);

    // Two halves of the warp vote for themselves.
    if (lane < 12) {
        results[7] = __ballot_sync(0x00000fff, value > 50);
        results[8] = __shfl_sync(0x00000fff, value, 11 - lane);
    } else {
        results[7] = __ballot_sync(0xfffff000, value > 50);
        results[8] = __shfl_sync(0xfffff000, value, 43 - lane);
    }
    __syncwarp();

    // The even values add up among themselves: the leader goes through the ballot.
    unsigned even = __ballot_sync(0xffffffff, value % 2 == 0);
    if (value % 2 == 0) {
        int sum = 0;
        for (unsigned rest = even; rest != 0; rest &= rest - 1) sum += __shfl_sync(even, value, __ffs(rest) - 1);
        results[9] = sum;
        results[10] = (__activemask() & ~even) == 0;
    }
    __syncwarp();

    // Lanes beyond the segment get their own value and a false predicate.
    results[11] = __shfl_down_sync(0xffffffff, value, 2, 8);
    results[12] = __shfl_xor_sync(0xffffffff, value, 9, 16);
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    results[13] = below;
    for (int r = 0; r < RESULTS; ++r) out[i * RESULTS + r] = results[r];
}

int main() {
    const int count = 150, threads = 64, total = 192;
    Random random(18);
    auto host = random.numbers<int>(count, 0, 100);
    for (int i = 64; i < 96; ++i) host[i] = 7 + i % 2;
    DeviceArray<int> values(host);
    DeviceArray<unsigned> out(total * RESULTS);
    vote<<<total / threads, threads>>>(values.get(), count, out.get());
    CUDA_FINISH();
    auto got = out.to_host();

    auto value = [&](int i) { return i < count ? host[i] : -1; };
    for (int i = 0; i < total; ++i) {
        int start = i / 32 * 32, lane = i % 32;
        unsigned expected[RESULTS] = {};
        expected[0] = 1;
        unsigned match_fifty = 0, match_three = 0;
        int low = lane < 12 ? 0 : 12, high = lane < 12 ? 12 : 32, even_sum = 0;
        for (int l = 0; l < 32; ++l) {
            int other = value(start + l);
            unsigned bit = 1u << l;
            if (other >= 90) expected[0] = 0;
            if (other > 95) expected[1] = 1;
            if (other & 1) expected[2] |= bit;
            if (other % 5 == value(i) % 5) expected[3] |= bit;
            if (other / 50 == value(i) / 50) match_fifty |= bit;
            if (other % 3 == value(i) % 3) match_three |= bit;
            if (l >= low && l < high && other > 50) expected[7] |= bit;
            if (other % 2 == 0) even_sum += other;
        }
        bool even = value(i) % 2 == 0;
        expected[4] = match_fifty == 0xffffffff ? 0xffffffff : 0;
        expected[5] = match_fifty == 0xffffffff;
        expected[6] = match_three;
        expected[8] = value(start + (lane < 12 ? 11 : 43) - lane);
        expected[9] = even ? even_sum : 0;
        expected[10] = even ? 1 : 0;
        expected[11] = value(lane % 8 + 2 < 8 ? i + 2 : i);
        expected[12] = value(i ^ 9);
        expected[13] = (1u << lane) - 1;
        for (int r = 0; r < RESULTS; ++r)
            if (got[i * RESULTS + r] != expected[r])
                fail("result %d of thread %d: got %08x, expected %08x", r, i, got[i * RESULTS + r], expected[r]);
    }
    return pass("votes");
}
