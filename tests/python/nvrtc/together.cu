// Atomics, barriers, asynchronous copies and groups of threads, from CUDA's headers.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>

namespace cg = cooperative_groups;

extern "C" __global__ void atomics(int *i, unsigned *u, long long *l, unsigned long long *ul, float *f, double *d,
                                   unsigned short *s) {
    int t = threadIdx.x;
    atomicAdd(i, t), atomicSub(i + 1, t), atomicExch(i + 2, t), atomicMin(i + 3, t), atomicMax(i + 4, t);
    atomicInc(u, 7), atomicDec(u + 1, 7), atomicCAS(i + 5, t, t + 1);
    atomicAnd(u + 2, t), atomicOr(u + 3, t), atomicXor(u + 4, t);
    atomicAdd(ul, t), atomicMax(l, t), atomicMin(ul + 1, t), atomicAnd(ul + 2, t), atomicCAS(ul + 3, t, 5);
    atomicExch(ul + 4, t), atomicAdd(f, t), atomicAdd(d, t), atomicExch(f + 1, t);
    atomicCAS(s, (unsigned short) t, (unsigned short) 4);
    atomicAdd_block(i + 6, t), atomicAdd_system(i + 7, t), atomicMax_block(l + 1, t);
    __threadfence(), __threadfence_block(), __threadfence_system();
}

extern "C" __global__ void references(int *p, long long *q, float *f) {
    cuda::atomic_ref<int, cuda::thread_scope_device> a(*p);
    a.fetch_add(3, cuda::memory_order_acq_rel);
    a.store(a.load(cuda::memory_order_acquire) + 1, cuda::memory_order_release);
    int expected = 4;
    a.compare_exchange_strong(expected, 5);
    cuda::atomic_ref<long long, cuda::thread_scope_block> b(*q);
    b.fetch_max(7, cuda::memory_order_relaxed);
    b.exchange(4);
    cuda::atomic_ref<float, cuda::thread_scope_system>(*f).fetch_add(1.5f);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    a.wait(0);
    a.notify_all();
}

extern "C" __global__ void barriers(const int *in, int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ alignas(16) int data[128];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(data + threadIdx.x, in + threadIdx.x, sizeof(int), barrier);
    auto token = barrier.arrive();
    barrier.wait(cuda::std::move(token));
    out[threadIdx.x] = data[127 - threadIdx.x];
}

extern "C" __global__ void tiles(int *x) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(warp);
    int v = x[block.thread_rank()];
    v += tile.shfl_xor(v, 1) + tile.shfl_down(v, 2) + tile.any(v > 3) + tile.ballot(v) + tile.match_any(v);
    v += cg::reduce(tile, v, cg::plus<int>()) + cg::reduce(warp, v, cg::greater<int>());
    v += cg::inclusive_scan(warp, v) + cg::exclusive_scan(tile, v, cg::bit_xor<int>());
    x[block.thread_rank()] = v;
    block.sync();
}

extern "C" __global__ void coalesced(int *x) {
    if (threadIdx.x % 3) {
        auto group = cg::coalesced_threads();
        int first = 0;
        if (group.thread_rank() == 0) first = atomicAdd(x, group.size());
        first = group.shfl(first, 0) + group.thread_rank();
        x[1 + first] = threadIdx.x;
        x[64] = cg::labeled_partition(group, first & 1).size();
    }
}

extern "C" __global__ void grid(int *x) {
    auto all = cg::this_grid();
    x[all.thread_rank()] = 1;
    all.sync();
    if (all.thread_rank() == 0) {
        int sum = 0;
        for (int i = 0; i < (int) all.size(); i++) sum += x[i];
        x[0] = sum;
    }
}

extern "C" __global__ void copies(const int *in, int *out) {
    __shared__ int data[256];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, data, in, sizeof(data));
    cg::wait(block);
    out[block.thread_rank()] = data[255 - block.thread_rank()];
}

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) clusters(int *out) {
    __shared__ int value;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) value = cluster.block_rank() + 5;
    cluster.sync();
    out[blockIdx.x] = *cluster.map_shared_rank(&value, 1 - cluster.block_rank());
    cluster.sync();
}
#endif
