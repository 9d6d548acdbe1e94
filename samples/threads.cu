// Several host threads that allocate, copy, launch and synchronise at once, on own streams and on the default one.
#include "sample.h"

#include <thread>

#ifndef SAMPLE_NAME
#define SAMPLE_NAME "threads"
#endif

__global__ void mix(unsigned *values, int count, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] = (values[i] ^ seed) * 2654435761u + i;
}

__global__ void count_up(unsigned *counter) { atomicAdd(counter, 1); }

void work(unsigned thread, int rounds, unsigned *shared_counter) {
    const int count = 700 + 13 * thread;
    cudaStream_t stream = nullptr;
    if (thread % 2) CUDA(cudaStreamCreate(&stream));
    std::vector<unsigned> host(count), expected(count), got(count);
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < count; ++i) host[i] = expected[i] = i * thread + round;
        unsigned *values;
        CUDA(cudaMalloc(&values, count * sizeof(unsigned)));
        CUDA(cudaMemcpyAsync(values, host.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice, stream));
        for (unsigned seed = thread; seed < thread + 4; ++seed) {
            mix<<<(count + 63) / 64, 64, 0, stream>>>(values, count, seed);
            CUDA(cudaGetLastError());
            for (int i = 0; i < count; ++i) expected[i] = (expected[i] ^ seed) * 2654435761u + i;
        }
        count_up<<<2, 32, 0, stream>>>(shared_counter);
        CUDA(cudaMemcpyAsync(got.data(), values, count * sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        expect_equal("values of a thread", got, expected);
        CUDA(cudaFree(values));
    }
    if (stream) CUDA(cudaStreamDestroy(stream));
}

int main(int argc, char **argv) {
    const int threads_count = size_argument(argc, argv, 6), rounds = 10;
    DeviceArray<unsigned> counter(1);
    counter.fill_bytes(0);
    CUDA(cudaDeviceSynchronize());
    std::vector<std::thread> threads;
    for (int i = 0; i < threads_count; ++i) threads.emplace_back(work, i, rounds, counter.get());
    for (std::thread &thread : threads) thread.join();
    expect_equal("common counter", counter.to_host()[0], unsigned(threads_count * rounds * 64));
    return pass(SAMPLE_NAME);
}
