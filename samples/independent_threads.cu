// sample: arch = compute_80
// sample: machine_code = threads of a warp that wait for one another
// Threads of one warp that wait for each other: what Volta's independent thread scheduling promises. Each
// kernel hangs where a warp runs one way of a branch to its end before it begins the other.
#include "sample.h"

constexpr unsigned ALL = 0xffffffff;

// Both ways of a branch shuffle: lanes meet by what they do, not by where they are.
__global__ void meet_from_both_ways(unsigned *out) {
    unsigned lane = threadIdx.x % 32, value = lane * lane, got, votes;
    if (lane < 11) {
        got = __shfl_sync(ALL, value, 31 - lane);
        got += 1000;
        votes = __ballot_sync(ALL, lane % 3 == 0);
    } else {
        got = __shfl_sync(ALL, value, 31 - lane);
        if (lane % 2) got += 1;
        votes = __ballot_sync(ALL, lane % 5 == 0);
    }
    out[2 * threadIdx.x] = got;
    out[2 * threadIdx.x + 1] = votes;
}

// A lock that functions of their own take and give back, held while the holder works with itself.
__device__ __noinline__ void acquire(int *lock) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
}

__device__ __noinline__ void release(int *lock) {
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void hold_across_warp_operations(int *locks, volatile int *totals) {
    int lane = threadIdx.x % 32, own = 1 << lane, which = threadIdx.x % 3;
    acquire(&locks[which]);
    int before = totals[which];
    __syncwarp(own);
    int add = __shfl_sync(own, lane + 1, lane);
    add += __popc(__ballot_sync(own, 1));
    totals[which] = before + add;
    release(&locks[which]);
    __syncwarp();
    totals[3 + threadIdx.x] = __shfl_sync(ALL, lane, (lane + 1) % 32);
}

// Every thread waits for the one after it, and the last one for nobody.
__global__ void chain(volatile int *done, int *order) {
    __shared__ int next;
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    if (threadIdx.x + 1 < blockDim.x) {
        while (!done[threadIdx.x + 1]) {
        }
    }
    order[threadIdx.x] = atomicAdd(&next, 1);
    __threadfence();
    done[threadIdx.x] = 1;
}

// A lock that is given in the order of asking.
__global__ void tickets(unsigned *next, volatile unsigned *serving, volatile unsigned *sum) {
    unsigned ticket = atomicAdd(next, 1);
    while (*serving != ticket) {
    }
    *sum = *sum * 3 + ticket;
    __threadfence();
    *serving = ticket + 1;
}

// Philosophers who take the fork with the lower number first.
__global__ void philosophers(int *forks, volatile int *meals, int rounds) {
    int left = threadIdx.x, right = (threadIdx.x + 1) % blockDim.x;
    for (int round = 0; round < rounds; ++round) {
        acquire(&forks[min(left, right)]);
        acquire(&forks[max(left, right)]);
        meals[left] = meals[left] + 1;
        meals[right] = meals[right] + 1;
        release(&forks[max(left, right)]);
        release(&forks[min(left, right)]);
    }
}

// Some threads of each warp are gone, others go on to barriers and to operations of the warp.
__global__ void early_exits(int *out) {
    __shared__ int sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane % 4 == 3) return;
    int least = __reduce_add_sync(0x77777777, lane);
    if (lane >= 16) {
        if (lane == 20) return;
        out[threadIdx.x] = least;
    }
    if (lane == 0) sums[warp] = least + warp;
    __syncthreads();
    int votes = __popc(__ballot_sync(ALL & ~(1u << 20) & 0x77777777, 1));
    out[threadIdx.x] = sums[(warp + 1) % (blockDim.x / 32)] * 100 + votes;
}

// The block's barrier, reached by different instructions.
__global__ void barrier_from_both_ways(int *out) {
    __shared__ int values[64];
    values[threadIdx.x] = threadIdx.x;
    if (threadIdx.x % 2) {
        asm volatile("barrier.sync 0;" ::: "memory");
        out[threadIdx.x] = values[63 - threadIdx.x];
    } else {
        values[threadIdx.x] += 100;
        asm volatile("barrier.sync 0;" ::: "memory");
        out[threadIdx.x] = values[63 - threadIdx.x];
    }
}

template <class T> std::vector<T> run(size_t words, void (*launch)(T *)) {
    DeviceArray<T> memory(words);
    memory.fill_bytes(0);
    launch(memory.get());
    CUDA_FINISH();
    return memory.to_host();
}

int main() {
    auto met = run<unsigned>(128, [](unsigned *out) { meet_from_both_ways<<<1, 64>>>(out); });
    unsigned votes = 0;
    for (unsigned lane = 0; lane < 32; ++lane) votes |= unsigned(lane % (lane < 11 ? 3 : 5) == 0) << lane;
    for (unsigned i = 0; i < 64; ++i) {
        unsigned lane = i % 32, value = (31 - lane) * (31 - lane);
        expect_equal("shuffle", met[2 * i], value + (lane < 11 ? 1000 : lane % 2));
        expect_equal("ballot", met[2 * i + 1], votes);
    }

    auto held = run<int>(3 + 3 + 96, [](int *memory) { hold_across_warp_operations<<<1, 96>>>(memory, memory + 3); });
    for (int which = 0; which < 3; ++which) {
        int total = 0;
        for (int i = which; i < 96; i += 3) total += i % 32 + 2;
        expect_equal("total", held[3 + which], total);
    }
    for (int i = 0; i < 96; ++i) expect_equal("behind the lock", held[6 + i], (i + 1) % 32);

    auto order = run<int>(128, [](int *memory) { chain<<<1, 64>>>(memory, memory + 64); });
    for (int i = 0; i < 64; ++i) expect_equal("order", order[64 + i], 63 - i);

    auto served = run<unsigned>(3, [](unsigned *memory) { tickets<<<2, 48>>>(memory, memory + 1, memory + 2); });
    unsigned sum = 0;
    for (unsigned ticket = 0; ticket < 96; ++ticket) sum = sum * 3 + ticket;
    expect_equal("served", served[1], 96u);
    expect_equal("sum of tickets", served[2], sum);

    auto meals = run<int>(160, [](int *memory) { philosophers<<<1, 80>>>(memory, memory + 80, 5); });
    for (int i = 0; i < 80; ++i) expect_equal("meals", meals[80 + i], 10);

    auto exits = run<int>(96, [](int *out) { early_exits<<<1, 96>>>(out); });
    int lanes = 0, count = 0;
    for (int lane = 0; lane < 32; ++lane)
        if (lane % 4 != 3) lanes += lane, count += lane != 20;
    for (int i = 0; i < 96; ++i) {
        int lane = i % 32, expected = lane % 4 == 3 || lane == 20 ? 0 : (lanes + (i / 32 + 1) % 3) * 100 + count;
        expect_equal("after exits", exits[i], expected);
    }

    auto crossed = run<int>(64, [](int *out) { barrier_from_both_ways<<<1, 64>>>(out); });
    for (int i = 0; i < 64; ++i) expect_equal("across the barrier", crossed[i], 63 - i + (i % 2 ? 100 : 0));
    return pass("independent_threads");
}
