// Host functions between kernels of a stream: cudaLaunchHostFunc and cudaStreamAddCallback, in order, each
// seeing what the stream has done and delaying what comes next.
#include "sample.h"

#include <atomic>
#include <chrono>
#include <thread>

struct Step {
    int *pinned;
    int seen;
    int write;
    std::atomic<int> *turn;
    int turn_seen;
};

__global__ void add(int *value, int amount) { *value += amount; }

void host_function(void *data) {
    Step *step = static_cast<Step *>(data);
    // Were the stream not to wait, the next copy would read the old value.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    step->turn_seen = step->turn->fetch_add(1);
    step->seen = *step->pinned;
    *step->pinned = step->write;
}

void stream_callback(cudaStream_t, cudaError_t status, void *data) {
    host_function(data);
    if (status != cudaSuccess) static_cast<Step *>(data)->seen = -1;
}

int main() {
    const int steps_count = 8;
    int *pinned;
    CUDA(cudaMallocHost(&pinned, sizeof(int)));
    *pinned = 100;
    DeviceArray<int> device(1);
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    std::atomic<int> turn{0};
    std::vector<Step> steps(steps_count);
    for (int i = 0; i < steps_count; ++i) {
        steps[i] = {pinned, 0, (i + 2) * 100, &turn, -1};
        CUDA(cudaMemcpyAsync(device.get(), pinned, sizeof(int), cudaMemcpyHostToDevice, stream));
        add<<<1, 1, 0, stream>>>(device.get(), i);
        CUDA(cudaMemcpyAsync(pinned, device.get(), sizeof(int), cudaMemcpyDeviceToHost, stream));
        if (i % 2)
            CUDA(cudaStreamAddCallback(stream, stream_callback, &steps[i], 0));
        else
            CUDA(cudaLaunchHostFunc(stream, host_function, &steps[i]));
    }
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < steps_count; ++i) {
        expect_equal("order of callbacks", steps[i].turn_seen, i);
        expect_equal("value in a callback", steps[i].seen, (i + 1) * 100 + i);
    }
    expect_equal("last value", *pinned, (steps_count + 1) * 100);

    // An event recorded after a host function waits for it.
    cudaEvent_t event;
    CUDA(cudaEventCreate(&event));
    CUDA(cudaLaunchHostFunc(stream, host_function, &steps[0]));
    CUDA(cudaEventRecord(event, stream));
    CUDA(cudaEventSynchronize(event));
    expect_equal("event after a callback", steps[0].turn_seen, steps_count);
    CUDA(cudaEventDestroy(event));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFreeHost(pinned));
    return pass("host_callbacks");
}
