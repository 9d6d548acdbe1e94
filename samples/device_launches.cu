// Kernels that launch kernels: the order of a block's default stream, of streams that a grid makes, of what is launched
// to come after a grid, and of children that wait for each other; errors of threads, which are a thread's own; copies, events, parameters, function pointers, depth.
// An H100 gives the same orders and errors.
// sample: flags = -rdc=true
// sample: cpu = AMD GPUs do not launch by themselves
// sample: machine_code = launches by kernels, by relocations of descriptors
#include "sample.h"

constexpr int MOST = 4096;
__device__ int length, list[MOST];
__device__ int errors[32];

__device__ void note(int what) {
    const int at = atomicAdd(&length, 1);
    if (at < MOST) list[at] = what;
}

__global__ void mark(int what) {
    if (threadIdx.x == 0) note(what);
}

__global__ void mark_late(int what) {
    const long long start = clock64();
    while (clock64() - start < 2000000) {}
    mark<<<1, 1>>>(what);
}

__global__ void default_stream() {
    mark_late<<<1, 1>>>(1);
    mark<<<1, 32>>>(2);
    mark_late<<<1, 1>>>(3);
    mark<<<1, 1>>>(4);
}

__global__ void threads_in_turn() {
    for (int turn = 0; turn < 4; turn++) {
        if (threadIdx.x == turn) mark_late<<<1, 1>>>(turn);
        __syncthreads();
    }
}

__global__ void own_stream() {
    cudaStream_t stream;
    errors[0] = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    mark_late<<<1, 1, 0, stream>>>(1);
    mark<<<1, 1, 0, stream>>>(2);
    errors[1] = cudaStreamDestroy(stream);
    errors[2] = cudaStreamCreateWithFlags(&stream, 7);
    errors[3] = cudaGetLastError();
    errors[4] = cudaGetLastError();
}

__device__ volatile int has_come[4];

__global__ void meet(int own, int other) {
    has_come[own] = 1;
    while (!has_come[other]) {}
}

__global__ void meetings() {
    cudaStream_t streams[2];
    for (int i = 0; i < 2; i++) cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    for (int i = 0; i < 2; i++) meet<<<1, 1, 0, streams[i]>>>(i, 1 - i);
    for (int i = 0; i < 2; i++) meet<<<1, 1, 0, cudaStreamFireAndForget>>>(2 + i, 3 - i);
    for (int i = 0; i < 2; i++) cudaStreamDestroy(streams[i]);
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(8);
}

__global__ void with_tail(int what) {
    note(what);
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(what + 1);
}

__global__ void tails() {
    note(1);
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(10);
    with_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(20);
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(30);
    mark_late<<<1, 1>>>(2);
}

__global__ void events() {
    cudaStream_t first, second;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    errors[0] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    mark_late<<<1, 1, 0, first>>>(1);
    errors[1] = cudaEventRecord(event, first);
    errors[2] = cudaStreamWaitEvent(second, event, 0);
    mark<<<1, 1, 0, second>>>(2);
    errors[3] = cudaStreamWaitEvent(cudaStreamTailLaunch, event, 0);
    errors[4] = cudaEventRecord(event, cudaStreamFireAndForget);
    errors[5] = cudaEventDestroy(event);
    errors[6] = cudaEventCreateWithFlags(&event, cudaEventDefault);
}

__global__ void wrong_launches() {
    int *error = errors;
    mark<<<1, 2048>>>(1);
    *error++ = cudaGetLastError();
    *error++ = cudaGetLastError();
    mark<<<0, 1>>>(1);
    *error++ = cudaGetLastError();
    mark<<<1, 1, 1 << 20>>>(1);
    *error++ = cudaPeekAtLastError();
    *error++ = cudaGetLastError();
    mark<<<dim3(1, 70000), 1>>>(1);
    *error++ = cudaGetLastError();
    mark<<<1, dim3(1, 1, 65)>>>(1);
    *error++ = cudaGetLastError();
    mark<<<1, 1, 0, (cudaStream_t)0x1234567>>>(1);
    *error++ = cudaGetLastError();
    mark<<<1, 0>>>(1);
    *error++ = cudaGetLastError();
    mark<<<1, 1>>>(7);
    *error++ = cudaGetLastError();
}

__global__ void mark_six() { note(6); }

// Room for parameters first and everything else with the launch, as CUB launches.
__global__ void through_room() {
    int *room = (int *)cudaGetParameterBuffer(64, sizeof(int));
    *room = 5;
    errors[0] = cudaLaunchDevice((void *)mark, room, dim3(1), dim3(32), 0, 0);
    errors[1] = cudaLaunchDevice((void *)mark_six, nullptr, dim3(1, 2), dim3(1), 0, 0);
    room = (int *)cudaGetParameterBuffer(alignof(int), sizeof(int));
    errors[2] = cudaLaunchDevice((void *)mark, room, dim3(1), dim3(2048), 0, 0);
    errors[3] = cudaGetLastError();
}

__global__ void error_of_thread() {
    if (threadIdx.x == 3) mark<<<1, 2048>>>(1);
    __syncthreads();
    if (threadIdx.x < 8) errors[threadIdx.x] = cudaGetLastError();
}

__global__ void many(int count, bool tail) {
    int failed = 0;
    for (int i = 0; i < count; i++) {
        if (tail)
            mark<<<1, 1, 0, cudaStreamTailLaunch>>>(i);
        else
            mark<<<1, 1>>>(i);
        if (const cudaError_t error = cudaGetLastError()) {
            errors[1] = error;
            failed++;
        }
    }
    errors[0] = failed;
}

__global__ void deeper(int depth) {
    note(depth);
    if (depth < 60) deeper<<<1, 1>>>(depth + 1);
}

struct Large {
    int values[500];
};

__device__ Large received;
__device__ double received_number;

__global__ void take(Large large, char letter, double number) {
    received.values[threadIdx.x] = large.values[threadIdx.x] + letter;
    received_number = number;
}

__global__ void give() {
    Large large;
    for (int i = 0; i < 500; i++) large.values[i] = 3 * i;
    take<<<1, 500>>>(large, 'x', 0.1);
}

__global__ void through_pointer(int which) {
    void (*kernels[])(int) = {mark, with_tail};
    kernels[which]<<<1, 1>>>(50 + which);
}

// Each block sorts its half by launching blocks for the halves of that.
__global__ void sort(int *values, int count) {
    if (count < 2) return;
    if (threadIdx.x != 0) return;
    const int pivot = values[count / 2];
    int left = 0, right = count - 1;
    while (left <= right) {
        while (values[left] < pivot) left++;
        while (values[right] > pivot) right--;
        if (left <= right) {
            const int other = values[left];
            values[left++] = values[right];
            values[right--] = other;
        }
    }
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (right > 0) sort<<<1, 32, 0, stream>>>(values, right + 1);
    sort<<<1, 32, 0, cudaStreamFireAndForget>>>(values + left, count - left);
    cudaStreamDestroy(stream);
}

__global__ void say(int what) { printf("child %d\n", what); }

__global__ void say_more() {
    printf("parent\n");
    say<<<1, 1>>>(1);
    say<<<1, 1>>>(2);
    say<<<1, 1, 0, cudaStreamTailLaunch>>>(3);
}

__device__ unsigned copied[16], source[4] = {1, 2, 3, 4};

__global__ void copies() {
    unsigned local[4];
    errors[0] = cudaMemcpyAsync(copied + 4, source, sizeof source, cudaMemcpyDeviceToDevice, 0);
    errors[1] = cudaMemcpyAsync(copied, source, sizeof source, cudaMemcpyDeviceToHost, 0);
    errors[2] = cudaMemcpyAsync(local, source, sizeof source, cudaMemcpyDeviceToDevice, 0);
    errors[3] = cudaMemcpyAsync(nullptr, source, sizeof source, cudaMemcpyDeviceToDevice, 0);
}

__global__ void questions() {
    int value = -1;
    size_t size = 0;
    errors[0] = cudaGetDevice(&value);
    errors[1] = value;
    errors[2] = cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0);
    errors[3] = value;
    errors[4] = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 5);
    errors[5] = cudaDeviceGetLimit(&size, cudaLimitDevRuntimePendingLaunchCount);
    errors[6] = int(size);
    errors[7] = cudaDeviceGetLimit(&size, cudaLimitDevRuntimeSyncDepth);
    cudaFuncAttributes attributes;
    errors[8] = cudaFuncGetAttributes(&attributes, (void *)take);
    errors[9] = attributes.maxThreadsPerBlock;
    errors[10] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, (void *)mark, 128, 0);
    errors[11] = value > 0;
    errors[12] = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0);
}

static void expect(const char *what, std::vector<int> expected) {
    CUDA_FINISH();
    int count;
    std::vector<int> found(MOST);
    CUDA(cudaMemcpyFromSymbol(&count, length, sizeof count));
    CUDA(cudaMemcpyFromSymbol(found.data(), list, sizeof list));
    if (count != int(expected.size())) fail("%s: %d marks, not %d", what, count, int(expected.size()));
    for (int i = 0; i < count; i++)
        if (found[i] != expected[i]) fail("%s: mark %d is %d, not %d", what, i, found[i], expected[i]);
    count = 0;
    CUDA(cudaMemcpyToSymbol(length, &count, sizeof count));
}

static void expect_errors(const char *what, std::vector<int> expected) {
    CUDA_FINISH();
    int found[32];
    CUDA(cudaMemcpyFromSymbol(found, errors, sizeof found));
    for (size_t i = 0; i < expected.size(); i++)
        if (found[i] != expected[i]) fail("%s: value %d is %d, not %d", what, int(i), found[i], expected[i]);
}

static std::vector<int> up_to(int count) {
    std::vector<int> numbers;
    for (int i = 0; i < count; i++) numbers.push_back(i);
    return numbers;
}

int main() {
    default_stream<<<1, 1>>>();
    expect("default stream", {1, 2, 3, 4});
    threads_in_turn<<<1, 32>>>();
    expect("threads of a block", {0, 1, 2, 3});
    own_stream<<<1, 1>>>();
    expect("a stream", {1, 2});
    expect_errors("a stream", {0, 0, 1, 1, 0});
    // Children that wait for each other run side by side.
    meetings<<<1, 1>>>();
    expect("meetings", {8});
    tails<<<1, 1>>>();
    expect("tails", {1, 2, 10, 20, 21, 30});
    events<<<1, 1>>>();
    expect("events", {1, 2});
    expect_errors("events", {0, 0, 0, 1, 1, 0, 1});
    wrong_launches<<<1, 1>>>();
    expect("wrong launches", {7});
    expect_errors("wrong launches", {9, 0, 9, 9, 9, 9, 9, 1, 9, 0});
    through_room<<<1, 1>>>();
    expect("room for parameters", {5, 6, 6});
    expect_errors("room for parameters", {0, 0, 9, 9});
    error_of_thread<<<1, 32>>>();
    expect_errors("the error of a thread", {0, 0, 0, 9, 0, 0, 0, 0});
    many<<<1, 1>>>(3000, false);
    expect("many", up_to(3000));
    expect_errors("many", {0});
    many<<<1, 1>>>(3000, true);
    expect("many tails", up_to(2048));
    expect_errors("many tails", {952, 69});
    deeper<<<1, 1>>>(0);
    expect("depth", up_to(61));
    // What the host launches next comes after all children.
    mark_late<<<1, 1>>>(1);
    mark<<<1, 1>>>(2);
    expect("the host's next kernel", {1, 2});
    through_pointer<<<1, 1>>>(0);
    through_pointer<<<1, 1>>>(1);
    expect("function pointers", {50, 51, 52});

    give<<<1, 1>>>();
    CUDA_FINISH();
    Large large;
    double number;
    CUDA(cudaMemcpyFromSymbol(&large, received, sizeof large));
    CUDA(cudaMemcpyFromSymbol(&number, received_number, sizeof number));
    for (int i = 0; i < 500; i++)
        if (large.values[i] != 3 * i + 'x') fail("parameter %d is %d", i, large.values[i]);
    if (number != 0.1) fail("the last parameter is %g", number);

    copies<<<1, 1>>>();
    expect_errors("copies", {0, 21, 1, 1});
    unsigned words[16];
    CUDA(cudaMemcpyFromSymbol(words, copied, sizeof words));
    for (unsigned i = 0; i < 16; i++)
        if (words[i] != (i < 4 || i > 7 ? 0 : i - 3)) fail("copied word %u is %u", i, words[i]);
    questions<<<1, 1>>>();
    expect_errors("questions", {0, 0, 0, 1024, 101, 0, 2048, 215, 0, 1024, 0, 1, 1});

    std::vector<int> values(300);
    unsigned state = 1;
    for (int &value : values) value = (state = state * 1664525 + 1013904223) >> 20;
    int *sorted;
    CUDA(cudaMalloc(&sorted, values.size() * sizeof(int)));
    CUDA(cudaMemcpy(sorted, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
    sort<<<1, 32>>>(sorted, int(values.size()));
    CUDA_FINISH();
    CUDA(cudaMemcpy(values.data(), sorted, values.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (size_t i = 1; i < values.size(); i++)
        if (values[i - 1] > values[i]) fail("values %d and %d are not in order", int(i) - 1, int(i));
    say_more<<<1, 1>>>();
    CUDA_FINISH();
    return pass("device_launches");
}
