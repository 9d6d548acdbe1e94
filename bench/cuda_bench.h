// What the CUDA programs need: checked calls, device arrays, and a launch with its synchronisation as work.
#pragma once

#include "bench.h"

#include <cuda_runtime.h>

#define CUDA(call)                                                                                           \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != cudaSuccess) {                                                                         \
            std::printf("%s: %s\n", #call, cudaGetErrorString(error_));                                      \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

template <class T> T *to_device(const std::vector<T> &host) {
    T *device;
    CUDA(cudaMalloc(&device, host.size() * sizeof(T)));
    CUDA(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

// An array of zeros.
template <class T> T *on_device(size_t count) { return to_device(std::vector<T>(count)); }

template <class T> std::vector<T> to_host(const T *device, size_t count) {
    std::vector<T> host(count);
    CUDA(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

// `launch` launches kernels; the time is that of launch and synchronisation.
template <class Launch, class Checksum, class Before = void (*)()>
void measure_launch(const char *name, Launch launch, Checksum checksum, int repeats = 1, Before before = nothing_before) {
    auto work = [&] {
        launch();
        CUDA(cudaGetLastError());
        CUDA(cudaDeviceSynchronize());
    };
    measure(name, work, checksum, repeats, before);
}

// The checksum is that of an array on the device.
template <class T, class Launch> void measure_kernel(const char *name, const T *result, size_t count, Launch launch) {
    measure_launch(name, launch, [&] { return checksum_of(to_host(result, count)); });
}
