// Graphs that a program puts together: nodes of all kinds, copies in all shapes, clones and children, other parameters
// for executable graphs, nodes that are switched off, memory that nodes allocate, and many launches.
#include "sample.h"

#include <atomic>

__global__ void multiply_add(int *values, int count, int factor, int addend) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] = values[i] * factor + addend;
}

__global__ void add_to(int *to, const int *from, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] += from[i];
}

struct Counted {
    std::atomic<int> calls{0};
    const int *seen = nullptr;
    int last = 0;
};

static void CUDART_CB count_call(void *data) {
    auto counted = static_cast<Counted *>(data);
    counted->calls++;
    if (counted->seen) counted->last = *counted->seen;
}

// Writes what the next copy reads.
static void CUDART_CB step_input(void *data) {
    auto input = static_cast<int *>(data);
    for (int i = 0; i < 1000; ++i) input[i] += 10;
}

static cudaGraphNode_t kernel_node(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, void *function, int count,
                                   void **arguments) {
    cudaKernelNodeParams params{};
    params.func = function;
    params.gridDim = dim3((count + 63) / 64);
    params.blockDim = dim3(64);
    params.kernelParams = arguments;
    cudaGraphNode_t node;
    CUDA(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
    return node;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

// A diamond: copy in, two branches, a sum, copy out, a function at the end.
static void diamond() {
    int count = 1000;
    int *input, *results;
    CUDA(cudaMallocHost(&input, count * sizeof(int)));
    CUDA(cudaMallocHost(&results, count * sizeof(int)));
    std::vector<int> expected(count);
    for (int i = 0; i < count; ++i) input[i] = i;
    auto output = [&] { return std::vector<int>(results, results + count); };
    DeviceArray<int> left(count), right(count);
    int *left_pointer = left.get(), *right_pointer = right.get();
    Counted counted;
    counted.seen = results + 7;

    cudaGraph_t graph;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t step, copy_in, copy_across, out, call;
    cudaHostNodeParams step_params{step_input, input}, call_params{count_call, &counted};
    CUDA(cudaGraphAddHostNode(&step, graph, nullptr, 0, &step_params));
    CUDA(cudaGraphAddMemcpyNode1D(&copy_in, graph, &step, 1, left_pointer, input, count * sizeof(int),
                                  cudaMemcpyHostToDevice));
    CUDA(cudaGraphAddMemcpyNode1D(&copy_across, graph, &copy_in, 1, right_pointer, left_pointer, count * sizeof(int),
                                  cudaMemcpyDeviceToDevice));
    int two = 2, three = 3, one = 1, zero = 0;
    void *left_arguments[] = {&left_pointer, &count, &two, &one};
    void *right_arguments[] = {&right_pointer, &count, &three, &zero};
    void *sum_arguments[] = {&left_pointer, &right_pointer, &count};
    auto left_node = kernel_node(graph, {copy_across}, (void *)multiply_add, count, left_arguments);
    auto right_node = kernel_node(graph, {copy_across}, (void *)multiply_add, count, right_arguments);
    auto sum = kernel_node(graph, {left_node, right_node}, (void *)add_to, count, sum_arguments);
    CUDA(cudaGraphAddMemcpyNode1D(&out, graph, &sum, 1, results, left_pointer, count * sizeof(int),
                                  cudaMemcpyDeviceToHost));
    CUDA(cudaGraphAddHostNode(&call, graph, &out, 1, &call_params));

    size_t nodes = 0, roots = 0;
    CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
    CUDA(cudaGraphGetRootNodes(graph, nullptr, &roots));
    expect_equal("nodes", nodes, size_t(8));
    expect_equal("roots", roots, size_t(1));
    cudaKernelNodeParams kept{};
    CUDA(cudaGraphKernelNodeGetParams(right_node, &kept));
    if (kept.func != (void *)multiply_add || *(int *)kept.kernelParams[2] != 3) fail("a kernel node's parameters");

    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    cudaGraphExec_t exec = instantiate(graph);
    for (int launch = 1; launch <= 50; ++launch) {
        CUDA(cudaGraphLaunch(exec, stream));
        if (launch % 10) continue;
        CUDA(cudaStreamSynchronize(stream));
        for (int i = 0; i < count; ++i) expected[i] = (i + 10 * launch) * 2 + 1 + (i + 10 * launch) * 3;
        expect_equal("diamond", output(), expected);
        expect_equal("calls", counted.calls.load(), launch);
        expect_equal("seen by the call", counted.last, expected[7]);
    }

    // Another factor, in the executable graph only.
    int five = 5;
    right_arguments[2] = &five;
    kept.kernelParams = right_arguments;
    CUDA(cudaGraphExecKernelNodeSetParams(exec, right_node, &kept));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < count; ++i) expected[i] = (i + 510) * 2 + 1 + (i + 510) * 5;
    expect_equal("another factor", output(), expected);

    // Without the left branch.
    CUDA(cudaGraphNodeSetEnabled(exec, left_node, 0));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < count; ++i) expected[i] = (i + 520) + (i + 520) * 5;
    expect_equal("a node switched off", output(), expected);

    // The graph itself has kept its parameters: an update brings them back.
    cudaGraphExecUpdateResultInfo info{};
    CUDA(cudaGraphNodeSetEnabled(exec, left_node, 1));
    CUDA(cudaGraphExecUpdate(exec, graph, &info));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < count; ++i) expected[i] = (i + 530) * 2 + 1 + (i + 530) * 3;
    expect_equal("an update", output(), expected);

    // As part of another graph, twice in a row; the child has copies of the nodes.
    cudaGraph_t parent, clone;
    CUDA(cudaGraphClone(&clone, graph));
    CUDA(cudaGraphCreate(&parent, 0));
    cudaGraphNode_t first, second;
    CUDA(cudaGraphAddChildGraphNode(&first, parent, nullptr, 0, graph));
    CUDA(cudaGraphAddChildGraphNode(&second, parent, &first, 1, clone));
    cudaGraphExec_t both = instantiate(parent);
    int calls = counted.calls;
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaGraphDestroy(clone));
    CUDA(cudaGraphLaunch(both, stream));
    CUDA(cudaGraphExecDestroy(both));
    CUDA(cudaGraphDestroy(parent));
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < count; ++i) expected[i] = (i + 550) * 2 + 1 + (i + 550) * 3;
    expect_equal("children", output(), expected);
    expect_equal("calls of children", counted.calls.load(), calls + 2);
    print_hash("diamond", output());
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFreeHost(input));
    CUDA(cudaFreeHost(results));
}

// Fills of one and two dimensions, copies of boxes between memory of the host, of the device and an array.
static void boxes() {
    const int width = 24, height = 10, depth = 3;
    cudaGraph_t graph;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaPitchedPtr volume;
    CUDA(cudaMalloc3D(&volume, make_cudaExtent(width, height, depth)));
    cudaArray_t array;
    auto format = cudaCreateChannelDesc<unsigned char>();
    CUDA(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth)));
    std::vector<unsigned char> input(width * height * depth), output(input.size());
    for (size_t i = 0; i < input.size(); ++i) input[i] = (unsigned char)(i * 7);

    cudaGraphNode_t clear, to_array, to_volume, mark, out;
    cudaMemsetParams clearing{};
    clearing.dst = volume.ptr;
    clearing.elementSize = 1;
    clearing.width = volume.pitch * height * depth;
    clearing.height = 1;
    CUDA(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &clearing));
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(input.data(), width, width, height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, height, depth);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA(cudaGraphAddMemcpyNode(&to_array, graph, nullptr, 0, &copy));
    // A part of it, to another place.
    copy = {};
    copy.srcArray = array;
    copy.srcPos = make_cudaPos(4, 2, 1);
    copy.dstPtr = volume;
    copy.dstPos = make_cudaPos(1, 1, 0);
    copy.extent = make_cudaExtent(8, 5, 2);
    copy.kind = cudaMemcpyDeviceToDevice;
    cudaGraphNode_t before[] = {clear, to_array};
    CUDA(cudaGraphAddMemcpyNode(&to_volume, graph, before, 2, &copy));
    cudaMemsetParams marking{};
    marking.dst = (char *)volume.ptr + 2 * volume.pitch * height;
    marking.pitch = volume.pitch;
    marking.elementSize = 2;
    marking.value = 0x1234;
    marking.width = 3;
    marking.height = 4;
    CUDA(cudaGraphAddMemsetNode(&mark, graph, &to_volume, 1, &marking));
    copy = {};
    copy.srcPtr = volume;
    copy.dstPtr = make_cudaPitchedPtr(output.data(), width, width, height);
    copy.extent = make_cudaExtent(width, height, depth);
    copy.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaGraphAddMemcpyNode(&out, graph, &mark, 1, &copy));

    cudaGraphExec_t exec = instantiate(graph);
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaStreamSynchronize(0));
    std::vector<unsigned char> expected(output.size(), 0);
    auto at = [&](int x, int y, int z) { return (z * height + y) * width + x; };
    for (int z = 0; z < 2; ++z)
        for (int y = 0; y < 5; ++y)
            for (int x = 0; x < 8; ++x) expected[at(x + 1, y + 1, z)] = input[at(x + 4, y + 2, z + 1)];
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 6; ++x) expected[at(x, y, 2)] = x % 2 ? 0x12 : 0x34;
    expect_equal("boxes", output, expected);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFreeArray(array));
    CUDA(cudaFree(volume.ptr));
}

// Memory that is there between two nodes, and events that other streams see.
static void memory_and_events() {
    int count = 500;
    DeviceArray<int> result(count);
    result.fill_bytes(0);
    // The streams below wait for no other.
    CUDA(cudaDeviceSynchronize());
    cudaGraph_t graph;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams wanted{};
    wanted.poolProps.allocType = cudaMemAllocationTypePinned;
    wanted.poolProps.location.type = cudaMemLocationTypeDevice;
    wanted.bytesize = count * sizeof(int);
    cudaGraphNode_t alloc, fill, free_node, record;
    CUDA(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &wanted));
    cudaMemsetParams filling{};
    filling.dst = wanted.dptr;
    filling.elementSize = 4;
    filling.value = 3;
    filling.width = count;
    filling.height = 1;
    CUDA(cudaGraphAddMemsetNode(&fill, graph, &alloc, 1, &filling));
    int *to = result.get(), *from = (int *)wanted.dptr;
    void *arguments[] = {&to, &from, &count};
    auto sum = kernel_node(graph, {fill}, (void *)add_to, count, arguments);
    CUDA(cudaGraphAddMemFreeNode(&free_node, graph, &sum, 1, wanted.dptr));
    cudaEvent_t done;
    CUDA(cudaEventCreate(&done));
    CUDA(cudaGraphAddEventRecordNode(&record, graph, &free_node, 1, done));
    cudaGraphExec_t exec = instantiate(graph);
    cudaStream_t stream, other;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (int launch = 0; launch < 5; ++launch) CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamWaitEvent(other, done));
    std::vector<int> host(count), expected(count, 15);
    CUDA(cudaMemcpyAsync(host.data(), result.get(), count * sizeof(int), cudaMemcpyDeviceToHost, other));
    CUDA(cudaStreamSynchronize(other));
    expect_equal("memory of nodes", host, expected);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaEventDestroy(done));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaStreamDestroy(other));
}

// Graphs that are alike but for the address of the memory that their nodes allocate, in one executable graph.
static void other_memory(bool frees) {
    int count = 300;
    DeviceArray<int> result(count);
    auto make = [&](int value, int **memory) {
        cudaGraph_t graph;
        CUDA(cudaGraphCreate(&graph, 0));
        cudaMemAllocNodeParams wanted{};
        wanted.poolProps.allocType = cudaMemAllocationTypePinned;
        wanted.poolProps.location.type = cudaMemLocationTypeDevice;
        wanted.bytesize = count * value * sizeof(int);
        cudaGraphNode_t alloc, fill, free_node;
        CUDA(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &wanted));
        cudaMemsetParams filling{};
        filling.dst = wanted.dptr;
        filling.elementSize = 4;
        filling.value = value;
        filling.width = count;
        filling.height = 1;
        CUDA(cudaGraphAddMemsetNode(&fill, graph, &alloc, 1, &filling));
        *memory = (int *)wanted.dptr;
        int *to = result.get();
        void *arguments[] = {&to, memory, &count};
        auto sum = kernel_node(graph, {fill}, (void *)add_to, count, arguments);
        if (frees) CUDA(cudaGraphAddMemFreeNode(&free_node, graph, &sum, 1, wanted.dptr));
        return graph;
    };
    int *memories[3];
    cudaGraph_t graphs[3];
    for (int i = 0; i < 3; ++i) graphs[i] = make(i + 1, &memories[i]);
    if (memories[0] == memories[1]) fail("two graphs have the same memory");
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiateWithFlags(&exec, graphs[0], cudaGraphInstantiateFlagAutoFreeOnLaunch));
    result.fill_bytes(0);
    CUDA(cudaDeviceSynchronize());
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
        cudaGraphExecUpdateResultInfo info{};
        if (i) CUDA(cudaGraphExecUpdate(exec, graphs[i], &info));
        CUDA(cudaGraphDestroy(graphs[i]));
        for (int launch = 0; launch < 2; ++launch) {
            CUDA(cudaGraphLaunch(exec, 0));
            sum += i + 1;
        }
    }
    CUDA(cudaStreamSynchronize(0));
    expect_equal("other memory", result.to_host(), std::vector<int>(count, sum));
    // Without a node that frees it, what the last launch has allocated is the program's.
    if (!frees) CUDA(cudaFree(memories[2]));
    CUDA(cudaGraphExecDestroy(exec));
}

// Objects end with their graphs, before the call returns.
static void objects() {
    int ended = 0;
    cudaUserObject_t object;
    cudaGraph_t graph, parent;
    cudaGraphNode_t child;
    cudaGraphExec_t exec;
    auto make = [&] {
        auto end = [](void *data) { ++*static_cast<int *>(data); };
        CUDA(cudaUserObjectCreate(&object, &ended, end, 1, cudaUserObjectNoDestructorSync));
        CUDA(cudaGraphCreate(&graph, 0));
        CUDA(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    };
    make();
    CUDA(cudaGraphDestroy(graph));
    expect_equal("ended with a graph", ended, 1);
    make();
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    expect_equal("kept by an executable graph", ended, 1);
    CUDA(cudaGraphExecDestroy(exec));
    expect_equal("ended with an executable graph", ended, 2);
    make();
    CUDA(cudaGraphCreate(&parent, 0));
    CUDA(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, graph));
    CUDA(cudaGraphDestroy(graph));
    expect_equal("kept by a node", ended, 2);
    CUDA(cudaGraphDestroyNode(child));
    expect_equal("ended with a node", ended, 3);
    CUDA(cudaGraphDestroy(parent));
    CUDA(cudaUserObjectCreate(&object, &ended, [](void *data) { ++*static_cast<int *>(data); }, 1,
                              cudaUserObjectNoDestructorSync));
    CUDA(cudaUserObjectRelease(object, 1));
    expect_equal("ended by the program", ended, 4);
}

// Edges that a program adds and takes away again, and cycles.
static void edges() {
    cudaGraph_t graph;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a, b, c;
    CUDA(cudaGraphAddEmptyNode(&a, graph, nullptr, 0));
    CUDA(cudaGraphAddEmptyNode(&b, graph, &a, 1));
    CUDA(cudaGraphAddEmptyNode(&c, graph, &b, 1));
    auto add = [&](cudaGraphNode_t from, cudaGraphNode_t to) {
        return cudaGraphAddDependencies(graph, &from, &to, nullptr, 1);
    };
    CUDA(add(c, a));
    cudaGraphExec_t exec;
    expect_equal("a cycle", cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
    CUDA(cudaGraphRemoveDependencies(graph, &c, &a, nullptr, 1));
    expect_equal("an edge twice", add(a, b), cudaErrorInvalidValue);
    size_t count = 0;
    CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
    expect_equal("edges", count, size_t(2));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphDestroyNode(b));
    cudaGraphExecUpdateResultInfo info{};
    expect_equal("fewer nodes", cudaGraphExecUpdate(exec, graph, &info), cudaErrorGraphExecUpdateFailure);
    expect_equal("why", info.result, cudaGraphExecUpdateErrorTopologyChanged);
    cudaGetLastError();
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

int main() {
    diamond();
    boxes();
    memory_and_events();
    other_memory(true);
    other_memory(false);
    objects();
    edges();
    CUDA_FINISH();
    return pass("graphs");
}
