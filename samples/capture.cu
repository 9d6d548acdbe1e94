// sample: alone = its captures concern all threads of the process
// Streams that are captured: all that they are given, forks and joins by events, updates of an executable graph by a
// new capture, memory in the order of streams, and what cannot be asked meanwhile.
#include "sample.h"

#include <thread>

__global__ void multiply_add(int *values, int count, int factor, int addend) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] = values[i] * factor + addend;
}

__global__ void add_to(int *to, const int *from, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] += from[i];
}

static const int count = 3000, threads = 128, blocks = (count + threads - 1) / threads;

static void CUDART_CB count_call(void *data) { ++*static_cast<int *>(data); }

static size_t nodes_of(cudaGraph_t graph) {
    size_t nodes = 0;
    CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
    return nodes;
}

// Copy in, fork to two streams, join, copy out.
static cudaGraph_t fork_and_join(cudaStream_t *streams, int *left, int *right, const std::vector<int> &input,
                                 std::vector<int> &output, int factor, int *calls) {
    cudaEvent_t forked, joined;
    CUDA(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    CUDA(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    cudaGraph_t graph;
    CUDA(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
    CUDA(cudaMemcpyAsync(left, input.data(), count * sizeof(int), cudaMemcpyHostToDevice, streams[0]));
    CUDA(cudaEventRecord(forked, streams[0]));
    CUDA(cudaStreamWaitEvent(streams[1], forked));
    CUDA(cudaMemsetAsync(right, 0, count * sizeof(int), streams[1]));
    add_to<<<blocks, threads, 0, streams[1]>>>(right, left, count);
    multiply_add<<<blocks, threads, 0, streams[1]>>>(right, count, factor, 1);
    CUDA(cudaEventRecord(joined, streams[1]));
    CUDA(cudaLaunchHostFunc(streams[0], count_call, calls));
    CUDA(cudaStreamWaitEvent(streams[0], joined));
    add_to<<<blocks, threads, 0, streams[0]>>>(left, right, count);
    CUDA(cudaMemcpyAsync(output.data(), left, count * sizeof(int), cudaMemcpyDeviceToHost, streams[0]));
    CUDA(cudaStreamEndCapture(streams[0], &graph));
    CUDA(cudaEventDestroy(forked));
    CUDA(cudaEventDestroy(joined));
    return graph;
}

static void forks() {
    cudaStream_t streams[2];
    for (cudaStream_t &stream : streams) CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    DeviceArray<int> left(count), right(count);
    std::vector<int> input(count), output(count, -1), expected(count);
    for (int i = 0; i < count; ++i) input[i] = i;
    int calls = 0;
    cudaGraph_t graph = fork_and_join(streams, left.get(), right.get(), input, output, 3, &calls);
    expect_equal("nothing has run", output[5], -1);
    expect_equal("nodes", nodes_of(graph), size_t(7));
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int launch = 0; launch < 20; ++launch) {
        for (int i = 0; i < count; ++i) input[i] = i * launch;
        CUDA(cudaGraphLaunch(exec, streams[launch % 2]));
        CUDA(cudaStreamSynchronize(streams[launch % 2]));
        for (int i = 0; i < count; ++i) expected[i] = i * launch + i * launch * 3 + 1;
        expect_equal("fork and join", output, expected);
    }
    expect_equal("calls", calls, 20);
    // The same once more, with another factor: the executable graph takes it over.
    cudaGraph_t again = fork_and_join(streams, left.get(), right.get(), input, output, 8, &calls);
    cudaGraphExecUpdateResultInfo info{};
    CUDA(cudaGraphExecUpdate(exec, again, &info));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaGraphDestroy(again));
    CUDA(cudaGraphLaunch(exec, streams[0]));
    CUDA(cudaStreamSynchronize(streams[0]));
    for (int i = 0; i < count; ++i) expected[i] = i * 19 + i * 19 * 8 + 1;
    expect_equal("an update", output, expected);
    print_hash("forks", output);
    CUDA(cudaGraphExecDestroy(exec));
    for (cudaStream_t stream : streams) CUDA(cudaStreamDestroy(stream));
}

// All forms of copies and fills, and memory in the order of the stream.
static void all_work() {
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    int *pinned, *managed, *scratch;
    CUDA(cudaMallocHost(&pinned, count * sizeof(int)));
    CUDA(cudaMallocManaged(&managed, count * sizeof(int)));
    DeviceArray<int> device(count);
    cudaArray_t array;
    auto format = cudaCreateChannelDesc<int>();
    CUDA(cudaMallocArray(&array, &format, 60, 50));
    for (int i = 0; i < count; ++i) pinned[i] = i;
    cudaGraph_t graph;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CUDA(cudaMallocAsync(&scratch, count * sizeof(int), stream));
    CUDA(cudaMemcpyAsync(scratch, pinned, count * sizeof(int), cudaMemcpyDefault, stream));
    multiply_add<<<blocks, threads, 0, stream>>>(scratch, count, 5, 2);
    CUDA(cudaMemcpy2DToArrayAsync(array, 0, 0, scratch, 60 * sizeof(int), 60 * sizeof(int), 50,
                                  cudaMemcpyDeviceToDevice, stream));
    CUDA(cudaFreeAsync(scratch, stream));
    CUDA(cudaMemsetAsync(device.get(), 0xff, count * sizeof(int), stream));
    CUDA(cudaMemcpy2DFromArrayAsync(device.get(), 60 * sizeof(int), array, 0, 0, 60 * sizeof(int), 40,
                                    cudaMemcpyDeviceToDevice, stream));
    CUDA(cudaMemset2DAsync(device.get(), 60 * sizeof(int), 0, 3 * sizeof(int), 30, stream));
    CUDA(cudaMemcpyAsync(managed, device.get(), count * sizeof(int), cudaMemcpyDefault, stream));
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    CUDA(cudaStreamGetCaptureInfo(stream, &status, &id));
    if (status != cudaStreamCaptureStatusActive || id == 0) fail("the stream is captured");
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaStreamIsCapturing(stream, &status));
    expect_equal("status", status, cudaStreamCaptureStatusNone);
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int launch = 0; launch < 3; ++launch) CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < count; ++i) {
        int x = i % 60, y = i / 60;
        int expected = y < 30 && x < 3 ? 0 : y < 40 ? i * 5 + 2 : -1;
        if (managed[i] != expected) fail_at("all work", i, managed[i], expected, "");
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFreeArray(array));
    CUDA(cudaFree(managed));
    CUDA(cudaFreeHost(pinned));
    CUDA(cudaStreamDestroy(stream));
}

// What cannot be done while a stream is captured ends the capture, and is forgotten with it.
static void refusals() {
    cudaStream_t stream, other;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    cudaEvent_t event;
    CUDA(cudaEventCreate(&event));
    DeviceArray<int> device(count);
    cudaGraph_t graph;
    auto ended = [&](const char *what, cudaError_t got, cudaError_t expected) {
        expect_equal(what, got, expected);
        cudaError_t end = cudaStreamEndCapture(stream, &graph);
        expect_equal(what, end, cudaErrorStreamCaptureInvalidated);
        if (graph) fail("%s: there is a graph", what);
        cudaGetLastError();
    };
    auto begin = [&](cudaStreamCaptureMode mode) { CUDA(cudaStreamBeginCapture(stream, mode)); };
    begin(cudaStreamCaptureModeGlobal);
    ended("synchronise", cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    begin(cudaStreamCaptureModeRelaxed);
    ended("legacy stream", cudaMemsetAsync(device.get(), 0, 4, cudaStreamLegacy), cudaErrorStreamCaptureImplicit);
    void *memory;
    begin(cudaStreamCaptureModeThreadLocal);
    ended("unsafe call", cudaMalloc(&memory, 64), cudaErrorStreamCaptureUnsupported);
    begin(cudaStreamCaptureModeRelaxed);
    CUDA(cudaMalloc(&memory, 64));
    CUDA(cudaEventRecord(event, stream));
    ended("event of the capture", cudaEventSynchronize(event), cudaErrorCapturedEvent);
    CUDA(cudaFree(memory));
    CUDA(cudaEventRecord(event, other));
    begin(cudaStreamCaptureModeRelaxed);
    ended("event from outside", cudaStreamWaitEvent(stream, event), cudaErrorStreamCaptureIsolation);
    // Work that is not joined.
    begin(cudaStreamCaptureModeRelaxed);
    CUDA(cudaEventRecord(event, stream));
    CUDA(cudaStreamWaitEvent(other, event));
    CUDA(cudaMemsetAsync(device.get(), 0, 4, other));
    expect_equal("unjoined", cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);
    cudaGetLastError();
    CUDA(cudaStreamSynchronize(other));
    // Another thread may allocate if the capture leaves it alone.
    begin(cudaStreamCaptureModeThreadLocal);
    std::thread([&] {
        void *mine;
        CUDA(cudaMalloc(&mine, 64));
        CUDA(cudaFree(mine));
        expect_equal("end by another thread", cudaStreamEndCapture(stream, &graph),
                     cudaErrorStreamCaptureWrongThread);
        cudaGetLastError();
    }).join();
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaEventDestroy(event));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaStreamDestroy(other));
}

// A capture goes on by hand, into a graph that is there.
static void by_hand() {
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    DeviceArray<int> device(count);
    int *values = device.get(), length = count, calls = 0;
    cudaGraph_t graph, same;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first;
    cudaMemsetParams filling{};
    filling.dst = values;
    filling.elementSize = 4;
    filling.value = 1;
    filling.width = count;
    filling.height = 1;
    CUDA(cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &filling));
    CUDA(cudaStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1, cudaStreamCaptureModeGlobal));
    multiply_add<<<blocks, threads, 0, stream>>>(values, length, 2, 1);
    cudaGraphNode_t call;
    cudaHostNodeParams calling{count_call, &calls};
    const cudaGraphNode_t *dependencies;
    size_t many = 0;
    cudaStreamCaptureStatus status;
    CUDA(cudaStreamGetCaptureInfo(stream, &status, nullptr, &same, &dependencies, nullptr, &many));
    expect_equal("dependencies", many, size_t(1));
    if (same != graph) fail("the capture has another graph");
    CUDA(cudaGraphAddHostNode(&call, graph, dependencies, many, &calling));
    CUDA(cudaStreamUpdateCaptureDependencies(stream, &call, nullptr, 1, cudaStreamSetCaptureDependencies));
    multiply_add<<<blocks, threads, 0, stream>>>(values, length, 3, 0);
    cudaGraphNode_t last;
    CUDA(cudaStreamGetCaptureInfo(stream, &status, nullptr, &same, &dependencies, nullptr, &many));
    last = dependencies[0];
    CUDA(cudaStreamEndCapture(stream, &same));
    // Not what the manual promises, but what programs rely on.
    if (many != 1 || dependencies[0] != last) fail("the dependencies went with the capture");
    expect_equal("nodes", nodes_of(graph), size_t(4));
    size_t edges = 0;
    CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    expect_equal("edges", edges, size_t(3));
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    expect_equal("by hand", device.to_host(), std::vector<int>(count, 9));
    expect_equal("calls", calls, 1);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
}

int main() {
    forks();
    all_work();
    refusals();
    by_hand();
    CUDA_FINISH();
    return pass("capture");
}
