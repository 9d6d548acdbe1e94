// Warps of a block that wait for words of shared memory which others write, without barriers. Machine code does not tell
// these loads from others: who loads such a word once, and then looks at the register, waits for ever.
// sample: arch = compute_80
// sample: machine_code = loads of shared memory that loops wait by
#include "sample.h"

// What a thread has to do before others may go on.
__host__ __device__ int work(unsigned value, int rounds) {
    for (int round = 0; round < rounds; ++round) value = value * 3 + round;
    return value;
}

constexpr int ROUNDS = 1000;

// A volatile flag that nobody sets before the warp that waits has begun.
__global__ void one_flag(int *out) {
    __shared__ volatile int flag;
    __shared__ int data;
    if (threadIdx.x == 0) flag = 0, data = -1;
    __syncthreads();
    if (threadIdx.x < 32) {
        while (flag == 0) {
        }
        __threadfence_block();
        out[threadIdx.x] = data;
    } else if (threadIdx.x == 32) {
        data = work(7, ROUNDS);
        __threadfence_block();
        flag = 1;
    }
}

// The same with a load that acquires, and what was read of the data before.
__global__ void acquired_flag(int *out) {
    __shared__ int flag, data;
    if (threadIdx.x == 0) flag = 0, data = 5;
    __syncthreads();
    unsigned at = __cvta_generic_to_shared(&flag);
    int before = data;
    __syncthreads();
    if (threadIdx.x < 32) {
        int value;
        do {
            asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
        } while (value == 0);
        out[threadIdx.x] = data - before;
    } else if (threadIdx.x == 32) {
        data = work(7, ROUNDS);
        asm volatile("st.release.cta.shared.u32 [%0], %1;" ::"r"(at), "r"(1) : "memory");
    }
}

// Bytes, of which each warp waits for one by its number, and sleeps meanwhile, and then for one of all.
__global__ void bytes(int *out) {
    __shared__ volatile unsigned char flags[8];
    int warp = threadIdx.x / 32;
    if (threadIdx.x < 8) flags[threadIdx.x] = 0;
    __syncthreads();
    if (warp < 4) {
        int naps = 0;
        while (flags[warp] == 0) {
            __nanosleep(20);
            ++naps;
        }
        while (flags[5] != 9) {
        }
        out[threadIdx.x] = naps >= 0 ? flags[warp] : -1;
    } else if (threadIdx.x == 4 * 32) {
        for (int number = 0; number < 6; ++number) {
            int value = work(number, ROUNDS) | 1;
            flags[number] = number == 5 ? 9 : value & 15;
        }
    }
}

// One lane looks, the others learn of it.
__global__ void one_lane(int *out) {
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 64) {
        int seen = 0;
        do {
            if (lane == 3) seen = ready;
            seen = __shfl_sync(0xffffffff, seen, 3);
        } while (seen == 0);
        out[threadIdx.x] = seen + lane;
    } else if (threadIdx.x == 64) {
        ready = work(1, ROUNDS) | 1;
    }
}

// Two flags, which others set.
__global__ void both_flags(int *out) {
    __shared__ volatile int first, second;
    if (threadIdx.x == 0) first = 0, second = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        while (first == 0 || second == 0) {
        }
        out[threadIdx.x] = first + second;
    } else if (threadIdx.x == 32) {
        first = work(3, ROUNDS) | 1;
    } else if (threadIdx.x == 64) {
        second = work(4, ROUNDS) | 1;
    }
}

// So often at most.
__global__ void patience(int *out, int most) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        int tries = 0;
        while (flag == 0 && tries < most) {
            __nanosleep(20);
            ++tries;
        }
        out[threadIdx.x] = tries < most ? flag : -1;
    } else if (threadIdx.x == 32) {
        flag = work(5, ROUNDS) | 1;
    }
}

// Warps take turns by a number: each waits for the one before it, in each round.
__global__ void turns(int *out, int rounds) {
    __shared__ volatile int turn, sum;
    if (threadIdx.x == 0) turn = 0, sum = 0;
    __syncthreads();
    int warps = blockDim.x / 32, warp = threadIdx.x / 32;
    for (int round = 0; round < rounds; ++round) {
        int mine = round * warps + (warps - 1 - warp);
        while (turn != mine) {
        }
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            sum = sum * 5 + warp;
            __threadfence_block();
            turn = mine + 1;
        }
    }
    if (threadIdx.x % 32 == 0) {
        while (turn != rounds * warps) {
        }
        out[warp] = sum;
    }
}

int main() {
    DeviceArray<int> out(256);
    auto check = [&](const char *name, size_t count, auto expected) {
        std::vector<int> found = out.to_host(), wanted(count);
        found.resize(count);
        for (size_t i = 0; i < count; ++i) wanted[i] = expected(int(i));
        expect_equal(name, found, wanted);
    };
    one_flag<<<1, 64>>>(out.get());
    CUDA_FINISH();
    check("one flag", 32, [](int) { return work(7, ROUNDS); });
    acquired_flag<<<1, 64>>>(out.get());
    CUDA_FINISH();
    check("a flag that is acquired", 32, [](int) { return work(7, ROUNDS) - 5; });
    bytes<<<1, 160>>>(out.get());
    CUDA_FINISH();
    check("bytes", 128, [](int i) { return (work(i / 32, ROUNDS) | 1) & 15; });
    one_lane<<<1, 96>>>(out.get());
    CUDA_FINISH();
    check("one lane", 64, [](int i) { return (work(1, ROUNDS) | 1) + i % 32; });
    both_flags<<<1, 96>>>(out.get());
    CUDA_FINISH();
    check("two flags", 32, [](int) { return (work(3, ROUNDS) | 1) + (work(4, ROUNDS) | 1); });
    patience<<<1, 64>>>(out.get(), 1 << 30);
    CUDA_FINISH();
    check("a flag with patience", 32, [](int) { return work(5, ROUNDS) | 1; });
    turns<<<1, 128>>>(out.get(), 50);
    CUDA_FINISH();
    unsigned sum = 0;
    for (int round = 0; round < 50; ++round)
        for (int warp = 3; warp >= 0; --warp) sum = sum * 5 + warp;
    check("turns", 4, [&](int) { return int(sum); });
    return pass("shared_flags");
}
