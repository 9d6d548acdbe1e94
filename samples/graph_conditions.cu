// Nodes of graphs that run by a value that kernels set: if, if and else, while and switch, one in another, and in
// launches that follow each other without the host's waiting, updates between them.
// sample: alone = its capture concerns all threads of the process
// sample: flags = -rdc=true
#include "sample.h"

__global__ void set(cudaGraphConditionalHandle handle, const int *value) { cudaGraphSetConditional(handle, *value); }

__global__ void set_to_zero(cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, 0); }

__global__ void count_down(cudaGraphConditionalHandle handle, int *left, int *sum) {
    *sum += *left;
    cudaGraphSetConditional(handle, --*left > 0);
}

__global__ void append(int *list, int value) { list[++list[0]] = value; }

static cudaGraph_t new_graph() {
    cudaGraph_t graph;
    CUDA(cudaGraphCreate(&graph, 0));
    return graph;
}

template <class... Arguments>
static cudaGraphNode_t kernel(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, void (*function)(Arguments...),
                              Arguments... arguments) {
    void *list[] = {&arguments...};
    cudaKernelNodeParams params{};
    params.func = (void *)function;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = list;
    cudaGraphNode_t node;
    CUDA(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
    return node;
}

static std::vector<cudaGraph_t> bodies(cudaGraph_t graph, std::vector<cudaGraphNode_t> after,
                                       cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                                       unsigned size, cudaGraphNode_t *node) {
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    CUDA(cudaGraphAddNode(node, graph, after.data(), nullptr, after.size(), &params));
    return std::vector<cudaGraph_t>(params.conditional.phGraph_out, params.conditional.phGraph_out + size);
}

static cudaGraphConditionalHandle handle_of(cudaGraph_t graph, unsigned otherwise, unsigned flags) {
    cudaGraphConditionalHandle handle;
    CUDA(cudaGraphConditionalHandleCreate(&handle, graph, otherwise, flags));
    return handle;
}

// By a value in memory, one of two bodies, or one of several.
static void choices() {
    DeviceArray<int> value(1), list(64);
    cudaGraph_t graph = new_graph();
    auto one = handle_of(graph, 0, 0), two = handle_of(graph, 0, 0);
    cudaGraphNode_t first, second;
    auto set_one = kernel(graph, {}, set, one, (const int *)value.get());
    auto set_two = kernel(graph, {set_one}, set, two, (const int *)value.get());
    auto halves = bodies(graph, {set_two}, one, cudaGraphCondTypeIf, 2, &first);
    kernel(halves[0], {}, append, list.get(), 10);
    kernel(halves[1], {}, append, list.get(), 20);
    auto cases = bodies(graph, {first}, two, cudaGraphCondTypeSwitch, 3, &second);
    for (int i = 0; i < 3; ++i) kernel(cases[i], {}, append, list.get(), 100 + i);
    kernel(graph, {second}, append, list.get(), 7);
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMemsetAsync(list.get(), 0, 64 * sizeof(int), stream));
    std::vector<int> values{0, 2, 1, 9, 0}, expected(64, 0);
    for (int &v : values) {
        CUDA(cudaMemcpyAsync(value.get(), &v, sizeof v, cudaMemcpyHostToDevice, stream));
        CUDA(cudaGraphLaunch(exec, stream));
        expected[++expected[0]] = v ? 10 : 20;
        if (v < 3) expected[++expected[0]] = 100 + v;
        expected[++expected[0]] = 7;
    }
    CUDA(cudaStreamSynchronize(stream));
    expect_equal("choices", list.to_host(), expected);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
}

// A loop with an inner condition, whose body is captured.
static void loops() {
    DeviceArray<int> state(2), list(64);
    cudaGraph_t graph = new_graph();
    auto again = handle_of(graph, 1, cudaGraphCondAssignDefault);
    auto inner = handle_of(graph, 1, cudaGraphCondAssignDefault);
    cudaGraphNode_t loop, once;
    cudaGraph_t body = bodies(graph, {}, again, cudaGraphCondTypeWhile, 1, &loop)[0];
    cudaGraph_t first_time = bodies(body, {}, inner, cudaGraphCondTypeIf, 1, &once)[0];
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamBeginCaptureToGraph(stream, first_time, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
    append<<<1, 1, 0, stream>>>(list.get(), 5);
    set_to_zero<<<1, 1, 0, stream>>>(inner);
    CUDA(cudaStreamEndCapture(stream, nullptr));
    kernel(body, {once}, count_down, again, state.get(), state.get() + 1);
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaMemsetAsync(list.get(), 0, 64 * sizeof(int), stream));
    int start[2] = {6, 0};
    for (int launch = 0; launch < 3; ++launch) {
        CUDA(cudaMemcpyAsync(state.get(), start, sizeof start, cudaMemcpyHostToDevice, stream));
        CUDA(cudaGraphLaunch(exec, stream));
        std::vector<int> left(2);
        CUDA(cudaMemcpyAsync(left.data(), state.get(), sizeof start, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        expect_equal("a loop", left, std::vector<int>{0, 21});
    }
    std::vector<int> expected(64, 0);
    expected[0] = 3;
    expected[1] = expected[2] = expected[3] = 5;
    expect_equal("once in each loop", list.to_host(), expected);
    // Several launches, without waiting; they end after the executable graph has.
    CUDA(cudaMemcpyAsync(state.get(), start, sizeof start, cudaMemcpyHostToDevice, stream));
    for (int launch = 0; launch < 3; ++launch) CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamSynchronize(stream));
    // A second launch finds 0, counts on to -1, and ends.
    expect_equal("what is left", state.to_host()[0], -2);
    CUDA(cudaStreamDestroy(stream));
}

static void CUDART_CB no_call(void *) {}

// A graph of such a node has no functions of the host.
static void refusal() {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node, call;
    auto handle = handle_of(graph, 1, cudaGraphCondAssignDefault);
    cudaGraph_t body = bodies(graph, {}, handle, cudaGraphCondTypeIf, 1, &node)[0];
    cudaHostNodeParams calling{no_call, nullptr};
    CUDA(cudaGraphAddHostNode(&call, body, nullptr, 0, &calling));
    cudaGraphExec_t exec;
    expect_equal("a function in a body", cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
    cudaGetLastError();
    CUDA(cudaGraphDestroy(graph));
    // A condition belongs to one graph.
    graph = new_graph();
    cudaGraph_t other = new_graph();
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle_of(other, 1, cudaGraphCondAssignDefault);
    params.conditional.type = cudaGraphCondTypeIf;
    params.conditional.size = 1;
    if (!cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params)) fail("a condition of another graph");
    cudaGetLastError();
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaGraphDestroy(other));
}

// One of three bodies, by what the condition is when nobody sets it.
static cudaGraph_t choice(int *list, int place, unsigned otherwise) {
    cudaGraph_t graph = new_graph();
    auto handle = handle_of(graph, otherwise, cudaGraphCondAssignDefault);
    cudaGraphNode_t node;
    auto cases = bodies(graph, {}, handle, cudaGraphCondTypeSwitch, 3, &node);
    for (int i = 0; i < 3; ++i) kernel(cases[i], {}, append, list, place + i);
    return graph;
}

// Updates take the values of conditions over; launches before them are as they were.
static void updates() {
    DeviceArray<int> list(64);
    list.fill_bytes(0);
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    std::vector<cudaGraph_t> graphs;
    std::vector<int> expected(64, 0);
    cudaGraphExec_t exec;
    for (int i = 0; i < 4; ++i) {
        graphs.push_back(choice(list.get(), 10 * i, i % 3));
        cudaGraphExecUpdateResultInfo info{};
        if (i == 0) CUDA(cudaGraphInstantiate(&exec, graphs[0], 0));
        else CUDA(cudaGraphExecUpdate(exec, graphs[i], &info));
        CUDA(cudaGraphLaunch(exec, stream));
        expected[++expected[0]] = 10 * i + i % 3;
    }
    CUDA(cudaStreamSynchronize(stream));
    expect_equal("updates", list.to_host(), expected);
    CUDA(cudaGraphExecDestroy(exec));
    for (cudaGraph_t graph : graphs) CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
}

int main() {
    refusal();
    choices();
    loops();
    updates();
    CUDA_FINISH();
    return pass("graph_conditions");
}
