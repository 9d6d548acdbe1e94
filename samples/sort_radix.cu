// A radix sort of 32-bit keys, four bits a pass: counts per block, a scan, and a stable scatter that ranks
// equal digits by warp ballots.
// sample: machine_code = shuffles, votes and shared memory
#include "sample.h"

#include <algorithm>

constexpr int BLOCK = 128, DIGITS = 16, WARPS = BLOCK / 32;

__global__ void count_digits(const unsigned *keys, int count, int shift, unsigned *counts) {
    __shared__ unsigned mine[DIGITS];
    if (threadIdx.x < DIGITS) mine[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count) atomicAdd(&mine[keys[i] >> shift & (DIGITS - 1)], 1);
    __syncthreads();
    // Digit after digit, and within a digit block after block.
    if (threadIdx.x < DIGITS) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

__global__ void exclusive_scan(unsigned *counts, int count) {
    __shared__ unsigned warp_totals[32];
    unsigned carried = 0;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int start = 0; start < count; start += blockDim.x) {
        int i = start + threadIdx.x;
        unsigned value = i < count ? counts[i] : 0, sum = value;
        for (int distance = 1; distance < 32; distance *= 2) {
            unsigned before = __shfl_up_sync(0xffffffff, sum, distance);
            if (lane >= distance) sum += before;
        }
        if (lane == 31) warp_totals[warp] = sum;
        __syncthreads();
        unsigned offset = carried, all = 0;
        for (int w = 0; w < blockDim.x / 32; ++w) {
            if (w < warp) offset += warp_totals[w];
            all += warp_totals[w];
        }
        if (i < count) counts[i] = offset + sum - value;
        carried += all;
        __syncthreads();
    }
}

__global__ void scatter(const unsigned *keys, unsigned *sorted, int count, int shift, const unsigned *starts) {
    __shared__ unsigned warp_counts[WARPS][DIGITS];
    int i = blockIdx.x * BLOCK + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane < DIGITS) warp_counts[warp][lane] = 0;
    __syncwarp();
    unsigned key = i < count ? keys[i] : 0, digit = key >> shift & (DIGITS - 1);
    // Who in my warp has my digit?
    unsigned same = __ballot_sync(0xffffffff, i < count);
    for (int bit = 0; bit < 4; ++bit) {
        unsigned set = __ballot_sync(0xffffffff, digit >> bit & 1);
        same &= digit >> bit & 1 ? set : ~set;
    }
    unsigned rank = __popc(same & ((1u << lane) - 1));
    if (i < count && rank == 0) warp_counts[warp][digit] = __popc(same);
    __syncthreads();
    if (i >= count) return;
    unsigned place = starts[digit * gridDim.x + blockIdx.x] + rank;
    for (int w = 0; w < warp; ++w) place += warp_counts[w][digit];
    sorted[place] = key;
}

int main(int argc, char **argv) {
    int count = size_argument(argc, argv, 3000), blocks = (count + BLOCK - 1) / BLOCK;
    Random random(13);
    auto host = random.numbers<unsigned>(count, 0, 4294967295.0);
    DeviceArray<unsigned> keys(host), other(count), counts(blocks * DIGITS);
    unsigned *from = keys.get(), *to = other.get();
    for (int shift = 0; shift < 32; shift += 4) {
        count_digits<<<blocks, BLOCK>>>(from, count, shift, counts.get());
        exclusive_scan<<<1, 256>>>(counts.get(), blocks * DIGITS);
        scatter<<<blocks, BLOCK>>>(from, to, count, shift, counts.get());
        std::swap(from, to);
    }
    CUDA_FINISH();
    std::sort(host.begin(), host.end());
    expect_equal("sorted", keys.to_host(), host);
    return pass("sort_radix");
}
