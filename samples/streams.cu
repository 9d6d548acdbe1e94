// Streams and events: copies that overlap with kernels, order across streams by events, the default stream's
// order with blocking and non-blocking streams, timing, pitched copies.
#include "sample.h"

__global__ void multiply_add(int *values, int count, int factor, int addend) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] = values[i] * factor + addend;
}

__global__ void spin(int *out, int rounds) {
    unsigned state = 1;
    for (int i = 0; i < rounds; ++i) state = state * 1664525u + 1013904223u;
    *out = state;
}

// All threads wait together, and nothing is left to do behind the loop.
__global__ void wait_for_host(const volatile int *said, long long clocks) {
    long long start = clock64();
    while (!*said)
        if (clock64() - start > clocks) break;
}

int main(int argc, char **argv) {
    const int streams_count = 4, chunk = size_argument(argc, argv, 2000), count = chunk * streams_count;
    int *pinned;
    CUDA(cudaHostAlloc(&pinned, count * sizeof(int), cudaHostAllocDefault));
    DeviceArray<int> device(count);
    cudaStream_t streams[streams_count];
    for (int i = 0; i < streams_count; ++i)
        CUDA(cudaStreamCreateWithFlags(&streams[i], i % 2 ? cudaStreamNonBlocking : cudaStreamDefault));

    // Every stream copies in, computes and copies out its own chunk, several times over.
    for (int i = 0; i < count; ++i) pinned[i] = i;
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < streams_count; ++i) {
            int *part = device.get() + i * chunk;
            CUDA(cudaMemcpyAsync(part, pinned + i * chunk, chunk * sizeof(int), cudaMemcpyHostToDevice, streams[i]));
            multiply_add<<<(chunk + 127) / 128, 128, 0, streams[i]>>>(part, chunk, 3, i);
            CUDA(cudaMemcpyAsync(pinned + i * chunk, part, chunk * sizeof(int), cudaMemcpyDeviceToHost, streams[i]));
        }
    for (cudaStream_t stream : streams) CUDA(cudaStreamSynchronize(stream));
    std::vector<int> expected(count);
    for (int i = 0; i < count; ++i) expected[i] = ((i * 3 + i / chunk) * 3 + i / chunk) * 3 + i / chunk;
    expect_equal("overlapping copies", std::vector<int>(pinned, pinned + count), expected);

    // A chain that goes from stream to stream by events.
    cudaEvent_t done[12];
    CUDA(cudaMemsetAsync(device.get(), 0, chunk * sizeof(int), streams[0]));
    for (int step = 0; step < 12; ++step) {
        cudaStream_t stream = streams[step % streams_count];
        CUDA(cudaEventCreateWithFlags(&done[step], cudaEventDisableTiming));
        if (step > 0) CUDA(cudaStreamWaitEvent(stream, done[step - 1], 0));
        multiply_add<<<(chunk + 127) / 128, 128, 0, stream>>>(device.get(), chunk, 2, step);
        CUDA(cudaEventRecord(done[step], stream));
    }
    CUDA(cudaEventSynchronize(done[11]));
    int chain = 0;
    for (int step = 0; step < 12; ++step) chain = chain * 2 + step;
    std::vector<int> result(chunk);
    CUDA(cudaMemcpy(result.data(), device.get(), chunk * sizeof(int), cudaMemcpyDeviceToHost));
    expect_equal("chain of events", result, std::vector<int>(chunk, chain));
    for (cudaEvent_t event : done) CUDA(cudaEventDestroy(event));

    // The default stream waits for blocking streams, and they for it.
    DeviceArray<int> scratch(1);
    CUDA(cudaMemsetAsync(device.get(), 1, chunk * sizeof(int), streams[0]));
    spin<<<1, 1, 0, streams[0]>>>(scratch.get(), 20000);
    multiply_add<<<(chunk + 127) / 128, 128, 0, streams[0]>>>(device.get(), chunk, 1, 5);
    multiply_add<<<(chunk + 127) / 128, 128>>>(device.get(), chunk, 2, 0);
    multiply_add<<<(chunk + 127) / 128, 128, 0, streams[2]>>>(device.get(), chunk, 1, 1);
    CUDA(cudaStreamSynchronize(streams[2]));
    CUDA(cudaMemcpy(result.data(), device.get(), chunk * sizeof(int), cudaMemcpyDeviceToHost));
    expect_equal("default stream", result, std::vector<int>(chunk, (0x01010101 + 5) * 2 + 1));

    // Kernels that hold a stream up until time is over, and until the host says so.
    volatile int *said;
    CUDA(cudaHostAlloc((void **)&said, sizeof(int), cudaHostAllocDefault));
    *said = 0;
    wait_for_host<<<1, 1, 0, streams[1]>>>(said, 1000);
    CUDA(cudaStreamSynchronize(streams[1]));
    wait_for_host<<<2, 32, 0, streams[1]>>>(said, 1ll << 62);
    multiply_add<<<(chunk + 127) / 128, 128, 0, streams[1]>>>(device.get(), chunk, 0, 7);
    expect_equal("a stream that is held up", cudaStreamQuery(streams[1]) == cudaErrorNotReady, true);
    *said = 1;
    CUDA(cudaStreamSynchronize(streams[1]));
    CUDA(cudaMemcpy(result.data(), device.get(), chunk * sizeof(int), cudaMemcpyDeviceToHost));
    expect_equal("behind a kernel that waited", result, std::vector<int>(chunk, 7));
    CUDA(cudaFreeHost((void *)said));

    // Timing, and queries that come true.
    cudaEvent_t start, stop;
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    CUDA(cudaEventRecord(start, streams[1]));
    spin<<<1, 1, 0, streams[1]>>>(scratch.get(), 20000);
    CUDA(cudaEventRecord(stop, streams[1]));
    cudaError_t state;
    while ((state = cudaEventQuery(stop)) == cudaErrorNotReady) {
    }
    CUDA(state);
    CUDA(cudaStreamQuery(streams[1]));
    float milliseconds = -1;
    CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
    if (!(milliseconds > 0 && milliseconds < 10000)) fail("elapsed time: %g ms", milliseconds);
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(stop));

    // Two-dimensional copies between pitches, and a copy within the device.
    const int width = 7, height = 5;
    int *pitched;
    size_t pitch;
    CUDA(cudaMallocPitch(&pitched, &pitch, width * sizeof(int), height));
    std::vector<int> image(width * height), back(width * height, -1);
    for (int i = 0; i < width * height; ++i) image[i] = i * i;
    CUDA(cudaMemcpy2DAsync(pitched, pitch, image.data(), width * sizeof(int), width * sizeof(int), height,
                           cudaMemcpyHostToDevice, streams[3]));
    CUDA(cudaMemcpy2DAsync(device.get(), width * sizeof(int), pitched, pitch, width * sizeof(int), height,
                           cudaMemcpyDeviceToDevice, streams[3]));
    CUDA(cudaMemcpyAsync(back.data(), device.get(), back.size() * sizeof(int), cudaMemcpyDefault, streams[3]));
    CUDA(cudaStreamSynchronize(streams[3]));
    expect_equal("pitched copies", back, image);
    CUDA(cudaFree(pitched));

    // Work of a destroyed stream still ends.
    multiply_add<<<1, 32, 0, streams[3]>>>(device.get(), 32, 0, 9);
    for (cudaStream_t stream : streams) CUDA(cudaStreamDestroy(stream));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(result.data(), device.get(), 32 * sizeof(int), cudaMemcpyDeviceToHost));
    result.resize(32);
    expect_equal("destroyed stream", result, std::vector<int>(32, 9));
    CUDA(cudaFreeHost(pinned));
    return pass("streams");
}
