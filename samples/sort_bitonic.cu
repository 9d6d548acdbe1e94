// Sorts blocks of numbers in shared memory with a bitonic network: keys with values, floats, 64-bit keys.
#include "sample.h"

#include <algorithm>

template <class T> __device__ void exchange(T &a, T &b) {
    T swap = a;
    a = b;
    b = swap;
}

template <class Key, int SIZE> __global__ void sort(Key *keys, unsigned short *positions) {
    __shared__ Key key[SIZE];
    __shared__ unsigned short position[SIZE];
    Key *block_keys = keys + blockIdx.x * SIZE;
    for (int i = threadIdx.x; i < SIZE; i += blockDim.x) {
        key[i] = block_keys[i];
        position[i] = i;
    }
    for (int length = 2; length <= SIZE; length *= 2)
        for (int distance = length / 2; distance > 0; distance /= 2) {
            __syncthreads();
            for (int t = threadIdx.x; t < SIZE / 2; t += blockDim.x) {
                int i = 2 * t - (t & (distance - 1)), j = i + distance;
                bool ascending = (i & length) == 0;
                if ((key[i] > key[j]) == ascending) {
                    exchange(key[i], key[j]);
                    exchange(position[i], position[j]);
                }
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < SIZE; i += blockDim.x) {
        block_keys[i] = key[i];
        positions[blockIdx.x * SIZE + i] = position[i];
    }
}

template <class Key, int SIZE> void check(const char *what, std::vector<Key> host, int threads) {
    int blocks = host.size() / SIZE;
    DeviceArray<Key> keys(host);
    DeviceArray<unsigned short> positions(host.size());
    sort<Key, SIZE><<<blocks, threads>>>(keys.get(), positions.get());
    CUDA_FINISH();
    auto sorted = keys.to_host();
    auto from = positions.to_host();
    auto expected = host;
    for (int block = 0; block < blocks; ++block) {
        std::sort(expected.begin() + block * SIZE, expected.begin() + (block + 1) * SIZE);
        for (int i = block * SIZE; i < (block + 1) * SIZE; ++i)
            expect_equal(what, host[block * SIZE + from[i]], sorted[i]);
    }
    expect_equal(what, sorted, expected);
}

int main() {
    Random random(12);
    check<int, 512>("ints", random.numbers<int>(1536, -1000000, 1000000), 256);
    check<int, 64>("few ints, one thread a pair", random.numbers<int>(256, -5, 5), 32);
    check<float, 256>("floats", random.numbers<float>(256, -1, 1), 96);
    check<unsigned long long, 128>("64-bit", random.numbers<unsigned long long>(256, 0, 1.8e19), 64);
    return pass("sort_bitonic");
}
