// Kernels that launch graphs - at once, beside their own graph, behind it, themselves again - and kernels that change the
// nodes of graphs. The orders are those of CUDA's programming guide, "Device Graph Launch".
// sample: alone = its captures concern all threads of the process
// sample: flags = -rdc=true
// sample: cpu = AMD GPUs launch no graphs by themselves
#include "sample.h"

constexpr int MOST = 256;
__device__ int length, list[MOST];
__device__ volatile int flag;
__device__ int errors[8];
__device__ cudaGraphExec_t seen;

__device__ void note(int what) {
    const int at = atomicAdd(&length, 1);
    if (at < MOST) list[at] = what;
}

__global__ void mark(int what) { note(what); }

__global__ void launch(int what, cudaGraphExec_t graph, cudaStream_t stream) {
    note(what);
    errors[0] = cudaGraphLaunch(graph, stream);
}

// Two graphs behind this one, the first with one behind itself, and one at once, which takes a while.
__global__ void launch_all(cudaGraphExec_t first, cudaGraphExec_t second, cudaGraphExec_t at_once) {
    note(1);
    errors[0] = cudaGraphLaunch(first, cudaStreamGraphTailLaunch);
    errors[1] = cudaGraphLaunch(second, cudaStreamGraphTailLaunch);
    errors[2] = cudaGraphLaunch(at_once, cudaStreamGraphFireAndForget);
    // It has been launched, and has not ended.
    errors[3] = cudaGraphLaunch(at_once, cudaStreamGraphFireAndForget);
    flag = 1;
}

__global__ void mark_late(int what) {
    while (!flag) __nanosleep(100);
    const long long start = clock64();
    while (clock64() - start < 2000000) {}
    note(what);
}

__global__ void again(int *left) {
    seen = cudaGetCurrentGraphExec();
    note(*left);
    if (--*left == 0) return;
    errors[0] = cudaGraphLaunch(seen, cudaStreamGraphTailLaunch);
    errors[1] = cudaGraphLaunch(seen, cudaStreamGraphTailLaunch);
}

// What its launcher has put behind itself does not wait for a sibling: either may be first.
__global__ void launch_sibling(cudaGraphExec_t sibling, cudaGraphExec_t behind) {
    note(1);
    errors[0] = cudaGraphLaunch(sibling, cudaStreamGraphFireAndForgetAsSibling);
    errors[1] = cudaGraphLaunch(behind, cudaStreamGraphTailLaunch);
}

__global__ void launch_in_vain(cudaGraphExec_t graph, cudaGraphExec_t not_for_kernels) {
    seen = cudaGetCurrentGraphExec();
    errors[0] = cudaGraphLaunch(graph, cudaStreamGraphFireAndForget);
    errors[1] = cudaGraphLaunch(not_for_kernels, cudaStreamGraphFireAndForget);
    errors[2] = cudaGraphLaunch((cudaGraphExec_t)0x1234, cudaStreamGraphFireAndForget);
    errors[3] = cudaGraphLaunch(graph, cudaStream_t(0));
}

static void reset() {
    const int zero = 0, none[8] = {};
    const cudaGraphExec_t null = nullptr;
    CUDA(cudaMemcpyToSymbol(length, &zero, sizeof zero));
    CUDA(cudaMemcpyToSymbol(flag, &zero, sizeof zero));
    CUDA(cudaMemcpyToSymbol(errors, none, sizeof none));
    CUDA(cudaMemcpyToSymbol(seen, &null, sizeof null));
}

static void expect(const char *what, std::vector<int> marks, std::vector<int> results) {
    int count, found[MOST], codes[8];
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpyFromSymbol(&count, length, sizeof count));
    CUDA(cudaMemcpyFromSymbol(found, list, sizeof found));
    CUDA(cudaMemcpyFromSymbol(codes, errors, sizeof codes));
    expect_equal(what, std::vector<int>(found, found + count), marks);
    expect_equal(what, std::vector<int>(codes, codes + results.size()), results);
    reset();
}

template <class... Arguments>
static cudaGraphNode_t add(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, void (*function)(Arguments...),
                           dim3 grid, std::common_type_t<Arguments>... arguments) {
    void *parameters[] = {&arguments...};
    cudaKernelNodeParams params{};
    params.func = (void *)function;
    params.gridDim = grid;
    params.blockDim = dim3(1);
    params.kernelParams = parameters;
    cudaGraphNode_t node;
    CUDA(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
    return node;
}

// An executable graph of one kernel.
template <class... Arguments>
static cudaGraphExec_t graph_of(unsigned flags, void (*function)(Arguments...),
                                std::common_type_t<Arguments>... arguments) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaGraphCreate(&graph, 0));
    add(graph, {}, function, 1, arguments...);
    CUDA(cudaGraphInstantiate(&exec, graph, flags));
    if (flags & cudaGraphInstantiateFlagDeviceLaunch) CUDA(cudaGraphUpload(exec, 0));
    CUDA(cudaGraphDestroy(graph));
    return exec;
}

constexpr unsigned DEVICE = cudaGraphInstantiateFlagDeviceLaunch;

static void orders() {
    // What comes behind a launch in its stream comes behind all that its kernels launch.
    auto child = graph_of(DEVICE, mark_late, 2);
    auto parent = graph_of(0, launch, 1, child, cudaStreamGraphFireAndForget);
    const int one = 1;
    for (int turn = 0; turn < 3; ++turn) {
        CUDA(cudaMemcpyToSymbol(flag, &one, sizeof one));
        CUDA(cudaGraphLaunch(parent, 0));
        mark<<<1, 1>>>(3);
        expect("fire and forget", {1, 2, 3}, {0});
    }

    auto inner = graph_of(DEVICE, mark, 5);
    auto first = graph_of(DEVICE, launch, 4, inner, cudaStreamGraphTailLaunch);
    auto second = graph_of(DEVICE, mark, 6);
    auto late = graph_of(DEVICE, mark_late, 3);
    auto all = graph_of(0, launch_all, first, second, late);
    CUDA(cudaGraphLaunch(all, 0));
    mark<<<1, 1>>>(7);
    expect("tails", {1, 3, 4, 5, 6, 7}, {0, 0, 0, cudaErrorInvalidValue});

    DeviceArray<int> left(1);
    left.copy_from({5});
    auto self = graph_of(DEVICE, again, left.get());
    CUDA(cudaGraphLaunch(self, 0));
    cudaGraphExec_t known;
    CUDA(cudaMemcpyFromSymbol(&known, seen, sizeof known));
    if (known != self) fail("a kernel sees another graph than its own");
    expect("itself again", {5, 4, 3, 2, 1}, {0, cudaErrorInvalidValue});

    auto sibling = graph_of(DEVICE, mark, 2);
    auto behind = graph_of(DEVICE, mark, 2);
    auto middle = graph_of(DEVICE, launch_sibling, sibling, behind);
    auto outer = graph_of(0, launch, 0, middle, cudaStreamGraphFireAndForget);
    CUDA(cudaGraphLaunch(outer, 0));
    mark<<<1, 1>>>(4);
    expect("sibling", {0, 1, 2, 2, 4}, {0, 0});

    for (auto exec : {child, parent, inner, first, second, late, all, self, sibling, behind, middle, outer})
        CUDA(cudaGraphExecDestroy(exec));
}

__global__ void ask() { seen = cudaGetCurrentGraphExec(); }

// The graph as its kernels know it, though they launch none: null where kernels cannot launch it.
static void expect_seen(const char *what, cudaGraphExec_t wanted) {
    cudaGraphExec_t known;
    CUDA(cudaMemcpyFromSymbol(&known, seen, sizeof known));
    if (known != wanted) fail("%s: kernels see %p, not %p", what, (void *)known, (void *)wanted);
    reset();
}

static void own_graph() {
    const cudaGraphExec_t some = (cudaGraphExec_t)1;
    for (unsigned flags : {0u, DEVICE}) {
        auto exec = graph_of(flags, ask);
        CUDA(cudaMemcpyToSymbol(seen, &some, sizeof some));
        CUDA(cudaGraphLaunch(exec, 0));
        expect_seen(flags ? "a graph for kernels" : "a graph for the host", flags ? exec : nullptr);
        CUDA(cudaGraphExecDestroy(exec));
    }
    CUDA(cudaMemcpyToSymbol(seen, &some, sizeof some));
    ask<<<1, 1>>>();
    expect_seen("no graph", nullptr);
}

static void refusals() {
    auto child = graph_of(DEVICE, mark, 1), plain = graph_of(0, mark, 2);
    const int invalid = cudaErrorInvalidValue;
    launch_in_vain<<<1, 1>>>(child, plain);
    if (cudaGetLastError() != cudaErrorNotSupported) fail("a kernel that launches graphs ran outside of one");
    auto inside = graph_of(0, launch_in_vain, child, plain);
    CUDA(cudaGraphLaunch(inside, 0));
    cudaGraphExec_t known;
    CUDA(cudaMemcpyFromSymbol(&known, seen, sizeof known));
    if (known) fail("a graph that kernels cannot launch has a handle for them");
    expect("inside", {1}, {0, invalid, invalid, invalid});
    for (auto exec : {child, plain, inside}) CUDA(cudaGraphExecDestroy(exec));
}

__global__ void sum_of(int *sum, int value, int more) { atomicAdd(sum, value + more); }

__global__ void set_value(cudaGraphDeviceNode_t node, int value) {
    errors[0] = cudaGraphKernelNodeSetParam(node, sizeof(int *), value);
    // Half of these bytes are none of the kernel's.
    errors[1] = cudaGraphKernelNodeSetParam(node, 12, &value, 8);
    errors[2] = cudaGraphKernelNodeSetParam((cudaGraphDeviceNode_t)0x1234, 8, value);
}

__global__ void set_grid(cudaGraphDeviceNode_t node, int blocks) {
    errors[0] = cudaGraphKernelNodeSetGridDim(node, dim3(blocks));
    errors[1] = cudaGraphKernelNodeSetGridDim(node, dim3(0));
}

__global__ void set_enabled(cudaGraphDeviceNode_t node, bool enabled) {
    errors[0] = cudaGraphKernelNodeSetEnabled(node, enabled);
}

__global__ void apply(cudaGraphDeviceNode_t node, int value) {
    const cudaGraphKernelNodeUpdate first{node, cudaGraphKernelNodeFieldGridDim, {dim3(2, 2, 1)}};
    cudaGraphKernelNodeUpdate updates[3] = {first, first, first};
    updates[1].field = cudaGraphKernelNodeFieldParam;
    updates[1].updateData.param.pValue = &value;
    updates[1].updateData.param.offset = 12;
    updates[1].updateData.param.size = sizeof value;
    updates[2].field = cudaGraphKernelNodeFieldEnabled;
    updates[2].updateData.isEnabled = 1;
    errors[0] = cudaGraphKernelNodeUpdatesApply(updates, 3);
    updates[0].field = cudaGraphKernelNodeFieldInvalid;
    errors[1] = cudaGraphKernelNodeUpdatesApply(updates, 1);
}

static cudaGraphDeviceNode_t handle_of(cudaGraphNode_t node) {
    cudaLaunchAttributeValue value{};
    value.deviceUpdatableKernelNode.deviceUpdatable = 1;
    CUDA(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeDeviceUpdatableKernelNode, &value));
    return value.deviceUpdatableKernelNode.devNode;
}

// Adds before a graph's node that adds to a sum what changes it, launches the graph, and compares the sum.
template <class... Arguments>
static void change(const char *what, std::vector<int> sums, std::vector<int> results,
                   void (*function)(cudaGraphDeviceNode_t, Arguments...),
                   std::common_type_t<Arguments>... arguments) {
    DeviceArray<int> sum(1);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaGraphCreate(&graph, 0));
    auto before = add(graph, {}, sum_of, 1, sum.get(), 100, 0);
    auto node = add(graph, {}, sum_of, 1, sum.get(), 1, 0);
    auto changing = add(graph, {before}, function, 1, handle_of(node), arguments...);
    CUDA(cudaGraphAddDependencies(graph, &changing, &node, nullptr, 1));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphUpload(exec, 0));
    for (int expected : sums) {
        sum.fill_bytes(0);
        CUDA(cudaGraphLaunch(exec, 0));
        expect_equal(what, sum.to_host(), std::vector<int>{expected});
        expect(what, {}, results);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

static void changes() {
    const int invalid = cudaErrorInvalidValue;
    change("a parameter", {142, 142}, {0, invalid, invalid}, set_value, 42);
    change("a grid", {103, 103}, {0, invalid}, set_grid, 3);
    change("off", {100, 100}, {0}, set_enabled, false);
    change("on", {101, 101}, {0}, set_enabled, true);
    change("all together", {100 + 4 * 8, 100 + 4 * 8}, {0, invalid}, apply, 7);
}

// A kernel changes a node of another graph and launches that, until the sum is large enough.
__global__ void steer(cudaGraphDeviceNode_t node, cudaGraphExec_t graph, const int *sum) {
    if (*sum >= 10) return;
    errors[0] = cudaGraphKernelNodeSetParam(node, sizeof(int *), *sum + 1);
    errors[1] = cudaGraphLaunch(graph, cudaStreamGraphFireAndForget);
    errors[2] = cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}

static void steering() {
    DeviceArray<int> sum(1);
    sum.fill_bytes(0);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaGraphCreate(&graph, 0));
    auto node = add(graph, {}, sum_of, 1, sum.get(), 0, 0);
    auto handle = handle_of(node);
    CUDA(cudaGraphInstantiate(&exec, graph, DEVICE));
    CUDA(cudaGraphUpload(exec, 0));
    auto loop = graph_of(DEVICE, steer, handle, exec, sum.get());
    CUDA(cudaGraphLaunch(loop, 0));
    // 0, 1, 3, 7, 15
    expect_equal("steering", sum.to_host(), std::vector<int>{15});
    expect("steering", {}, {0, 0, 0});
    CUDA(cudaGraphExecDestroy(loop));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

// A launch that is captured says so itself, and gets the handle.
static void captured() {
    DeviceArray<int> sum(1);
    sum.fill_bytes(0);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeDeviceUpdatableKernelNode;
    attribute.val.deviceUpdatableKernelNode.deviceUpdatable = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = config.blockDim = dim3(1);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, sum_of, sum.get(), 1, 0));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    set_value<<<1, 1, 0, stream>>>(attribute.val.deviceUpdatableKernelNode.devNode, 9);
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    expect_equal("captured", sum.to_host(), std::vector<int>{9});

    // What a node that kernels change cannot have.
    cudaGraphNode_t node;
    size_t count = 1;
    CUDA(cudaGraphGetNodes(graph, &node, &count));
    cudaLaunchAttributeValue off{}, told{};
    auto id = cudaLaunchAttributeDeviceUpdatableKernelNode;
    cudaGraphExec_t second;
    if (!cudaGraphKernelNodeSetAttribute(node, id, &off)) fail("a node opts out");
    CUDA(cudaGraphKernelNodeGetAttribute(node, id, &told));
    if (told.deviceUpdatableKernelNode.devNode != attribute.val.deviceUpdatableKernelNode.devNode)
        fail("a node tells another handle");
    if (!cudaGraphDestroyNode(node)) fail("a node is destroyed");
    if (!cudaGraphInstantiate(&second, graph, 0)) fail("a second executable graph");
    cudaGraphExecUpdateResultInfo info{};
    if (cudaGraphExecUpdate(exec, graph, &info) != cudaErrorNotSupported) fail("an update");
    (void)cudaGetLastError();
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
    reset();
}

int main() {
    reset();
    orders();
    own_graph();
    refusals();
    changes();
    steering();
    captured();
    CUDA_FINISH();
    return pass("graph_device_launches");
}
