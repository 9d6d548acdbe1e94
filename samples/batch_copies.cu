// Copies in batches: sources that are read in the order of the stream, during the call and at any time; and what the
// manual refuses.
#include "sample.h"

#include <algorithm>
#include <atomic>
#include <numeric>

constexpr int N = 100000, FEW = 100;

__global__ void fill(int *values, int first) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) values[i] = first + i;
}

void wait_for(void *go) {
    while (!static_cast<std::atomic<bool> *>(go)->load()) {}
}

cudaMemcpyAttributes source(cudaMemcpySrcAccessOrder order, unsigned flags = 0) {
    cudaMemcpyAttributes attributes = {};
    attributes.srcAccessOrder = order;
    attributes.flags = flags;
    return attributes;
}

std::vector<int> numbers(int first, int count) {
    std::vector<int> result(count);
    std::iota(result.begin(), result.end(), first);
    return result;
}

int main() {
    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    DeviceArray<int> a(N), b(N), c(FEW);
    int *pinned;
    CUDA(cudaMallocHost(&pinned, N * sizeof(int)));

    // The stream waits until the call has come back: one source is written in the stream, one is overwritten by then.
    std::atomic<bool> go(false);
    CUDA(cudaLaunchHostFunc(stream, wait_for, &go));
    fill<<<2, 128, 0, stream>>>(a.get(), 7);
    std::vector<int> brief = numbers(-FEW, FEW), kept = brief;
    void *to[] = {pinned, b.get(), b.get() + FEW, c.get()};
    const void *from[] = {a.get(), brief.data(), a.get() + FEW, kept.data()};
    size_t sizes[] = {N * sizeof(int), FEW * sizeof(int), (N - FEW) * sizeof(int), FEW * sizeof(int)};
    cudaMemcpyAttributes kinds[] = {
        source(cudaMemcpySrcAccessOrderStream), source(cudaMemcpySrcAccessOrderDuringApiCall),
        source(cudaMemcpySrcAccessOrderStream, cudaMemcpyFlagPreferOverlapWithCompute),
        source(cudaMemcpySrcAccessOrderAny)};
    size_t firsts[] = {0, 1, 2, 3};
    CUDA(cudaMemcpyBatchAsync(to, from, sizes, 4, kinds, firsts, 4, stream));
    std::fill(brief.begin(), brief.end(), 0);
    go = true;
    CUDA(cudaStreamSynchronize(stream));
    expect_equal("written in the stream", std::vector<int>(pinned, pinned + N), numbers(7, N));
    std::vector<int> both = numbers(7, N);
    std::iota(both.begin(), both.begin() + FEW, -FEW);
    expect_equal("read during the call", b.to_host(), both);
    expect_equal("read at any time", c.to_host(), kept);

    // One set of attributes for two copies.
    void *halves[] = {a.get(), a.get() + N / 2};
    const void *swapped[] = {b.get() + N / 2, b.get()};
    size_t half[] = {N / 2 * sizeof(int), N / 2 * sizeof(int)}, none[] = {half[0], 0}, start = 0;
    CUDA(cudaMemcpyBatchAsync(halves, swapped, half, 2, kinds, &start, 1, stream));
    CUDA(cudaStreamSynchronize(stream));
    std::rotate(both.begin(), both.begin() + N / 2, both.end());
    expect_equal("halves", a.to_host(), both);

    // A capture goes on after a batch that it does not take.
    cudaGraph_t graph;
    // Other threads of the process may allocate meanwhile: samples share one.
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    cudaError_t captured = cudaMemcpyBatchAsync(halves, swapped, half, 2, kinds, &start, 1, stream);
    expect_equal("in a capture", int(captured), int(cudaErrorStreamCaptureUnsupported));
    expect_equal("in a capture", int(cudaGetLastError()), int(cudaErrorStreamCaptureUnsupported));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphDestroy(graph));

    size_t *bytes = half;
    auto refuse = [&](const char *what, cudaMemcpyAttributes *kinds, size_t *firsts, size_t count, cudaStream_t stream) {
        cudaError_t error = cudaMemcpyBatchAsync(halves, swapped, bytes, 2, kinds, firsts, count, stream);
        expect_equal(what, int(error), int(cudaErrorInvalidValue));
        expect_equal(what, int(cudaGetLastError()), int(cudaErrorInvalidValue));
    };
    cudaMemcpyAttributes invalid = source(cudaMemcpySrcAccessOrderInvalid);
    size_t late[] = {1}, twice[] = {0, 0}, behind[] = {0, 2};
    refuse("no order of accesses", &invalid, &start, 1, stream);
    refuse("a first copy without attributes", kinds, late, 1, stream);
    refuse("attributes for no copy", kinds, twice, 2, stream);
    refuse("attributes behind the last copy", kinds, behind, 2, stream);
    refuse("more attributes than copies", kinds, firsts, 3, stream);
    refuse("the legacy stream", kinds, &start, 1, cudaStreamLegacy);
    bytes = none;
    refuse("no bytes", kinds, &start, 1, stream);
    CUDA(cudaFreeHost(pinned));
    CUDA(cudaStreamDestroy(stream));
    return pass("batch_copies");
}
