// The time that a launch takes: with a synchronisation each, also when nothing has run for a while, one after the other, and as nodes of
// a graph; and that of other calls of the driver: what returns before it is done, memory, and copies beside memcpy.
#include <cstring>
#include <unistd.h>

#include "cuda_bench.h"

__global__ void empty() {}

__global__ void tiny(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

static int nothing() { return 0; }

static void launches(int *out) {
    auto idle = [] { usleep(2000); };
    auto launch_of_8 = [&] { tiny<<<8, 64>>>(out); };
    measure_launch("launch_and_synchronise", [] { empty<<<1, 1>>>(); }, nothing);
    measure_launch("launch_8_blocks", launch_of_8, nothing);
    measure_launch("launch_8_blocks_after_2_ms", launch_of_8, nothing, 1, idle);
    const int launches = 1000;
    auto many = [] {
        for (int i = 0; i < launches; ++i) empty<<<1, 1>>>();
    };
    measure_launch("launch_back_to_back", many, nothing, launches);
    auto many_of_8 = [&] {
        for (int i = 0; i < launches; ++i) tiny<<<8, 64>>>(out);
    };
    measure_launch("launch_8_blocks_back_to_back", many_of_8, nothing, launches);
    auto in_graph = [&](const char *name, auto work) {
        cudaStream_t stream;
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        CUDA(cudaStreamCreate(&stream));
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        work(stream);
        CUDA(cudaStreamEndCapture(stream, &graph));
        CUDA(cudaGraphInstantiate(&exec, graph, 0));
        measure_launch(name, [&] { CUDA(cudaGraphLaunch(exec, stream)); }, nothing, launches);
    };
    in_graph("graph_of_1000", [&](cudaStream_t stream) {
        for (int i = 0; i < launches; ++i) empty<<<1, 1, 0, stream>>>();
    });
    in_graph("graph_of_1000_of_8_blocks", [&](cudaStream_t stream) {
        for (int i = 0; i < launches; ++i) tiny<<<8, 64, 0, stream>>>(out);
    });
}

// What a call takes that returns before its work is done.
static void asynchronous_calls(int *out) {
    const int calls = 100;
    auto done = [] { CUDA(cudaDeviceSynchronize()); };
    auto launch = [] {
        for (int i = 0; i < calls; ++i) empty<<<1, 1>>>();
    };
    auto copy = [&] {
        for (int i = 0; i < calls; ++i) CUDA(cudaMemcpyAsync(out, out + 256, 1024, cudaMemcpyDeviceToDevice));
    };
    auto set = [&] {
        for (int i = 0; i < calls; ++i) CUDA(cudaMemsetAsync(out, 0, 1024));
    };
    measure("call_of_a_launch", launch, nothing, calls, done);
    measure("call_of_a_copy", copy, nothing, calls, done);
    measure("call_of_a_fill", set, nothing, calls, done);
    done();
}

// Both calls of 4 KiB, by way of the runtime library.
static void memory() {
    const int pairs = 1000;
    auto plain = [] {
        for (int i = 0; i < pairs; ++i) {
            void *memory;
            CUDA(cudaMalloc(&memory, 4096));
            CUDA(cudaFree(memory));
        }
    };
    auto pool = [] {
        for (int i = 0; i < pairs; ++i) {
            void *memory;
            CUDA(cudaMallocAsync(&memory, 4096, 0));
            CUDA(cudaFreeAsync(memory, 0));
        }
        CUDA(cudaDeviceSynchronize());
    };
    measure("allocate_and_free", plain, nothing, pairs);
    measure("allocate_and_free_in_a_pool", pool, nothing, pairs);
}

static void copies() {
    for (size_t size : {size_t(4) << 10, size_t(1) << 20, size_t(64) << 20}) {
        std::vector<char> host(size, 1), other(size, 2);
        char *device = to_device(host);
        std::string name = size >> 20 ? std::to_string(size >> 20) + "_MiB" : std::to_string(size >> 10) + "_KiB";
        auto copy = [&] { CUDA(cudaMemcpy(device, host.data(), size, cudaMemcpyHostToDevice)); };
        auto by_memcpy = [&] { std::memcpy(other.data(), host.data(), size); };
        measure(("copy_of_" + name).c_str(), copy, nothing);
        measure(("memcpy_of_" + name).c_str(), by_memcpy, [&] { return other[size / 2]; });
        CUDA(cudaFree(device));
    }
}

int main() {
    int *out = to_device(std::vector<int>(8 * 64));
    launches(out);
    asynchronous_calls(out);
    memory();
    copies();
}
