// The time that a launch takes: with a synchronisation each, one after the other, and as nodes of a graph.
#include "cuda_bench.h"

__global__ void empty() {}

__global__ void tiny(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

int main() {
    int *out = to_device(std::vector<int>(8 * 64));
    auto nothing = [] { return 0; };
    measure_launch("launch_and_synchronise", [] { empty<<<1, 1>>>(); }, nothing);
    measure_launch("launch_8_blocks", [&] { tiny<<<8, 64>>>(out); }, nothing);
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
