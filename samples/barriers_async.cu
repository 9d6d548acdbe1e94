// sample: arch = compute_80
// sample: flags = -std=c++17
// sample: machine_code = asynchronous copies and barriers in shared memory
// libcu++'s barriers and pipelines, and asynchronous copies to shared memory.
#include "sample.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) fail("%s:%d: %s", __FILE__, __LINE__, #condition);                                 \
    } while (0)
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int THREADS = 128;

/// Rotates each tile by what other threads copied: two phases a tile.
__global__ void rotate(const int* in, int* out, int tiles) {
    __shared__ int tile[THREADS];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ block_barrier barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        cuda::memcpy_async(tile + threadIdx.x, in + t * THREADS + threadIdx.x, sizeof(int), barrier);
        barrier.arrive_and_wait();
        int value = tile[(threadIdx.x * 7 + 1) % THREADS];
        auto token = barrier.arrive();
        out[t * THREADS + threadIdx.x] = value + t;
        barrier.wait(std::move(token));
    }
}

/// A warp produces, the others consume, through two buffers with two barriers each.
__global__ void specialise(const int* in, long long* sums, int rounds) {
    __shared__ int buffer[2][THREADS];
    __shared__ block_barrier full[2], empty[2];
    auto block = cg::this_thread_block();
    if (block.thread_rank() < 2) {
        init(&full[block.thread_rank()], block.size());
        init(&empty[block.thread_rank()], block.size());
    }
    block.sync();
    const int* own = in + blockIdx.x * rounds * THREADS;
    if (threadIdx.x < 32) {
        for (int round = 0; round < rounds; round++) {
            int slot = round % 2;
            if (round >= 2) empty[slot].arrive_and_wait();
            for (int i = threadIdx.x; i < THREADS; i += 32) buffer[slot][i] = own[round * THREADS + i];
            (void)full[slot].arrive();
        }
    } else {
        long long sum = 0;
        for (int round = 0; round < rounds; round++) {
            int slot = round % 2;
            full[slot].arrive_and_wait();
            for (int i = threadIdx.x - 32; i < THREADS; i += THREADS - 32) sum += (long long)buffer[slot][i] * (round + 1);
            if (round + 2 < rounds) (void)empty[slot].arrive();
        }
        atomicAdd((unsigned long long*)sums + blockIdx.x, (unsigned long long)sum);
    }
}

/// Stages of a pipeline that the whole block shares.
__global__ void staged(const int* in, int* out, int tiles) {
    constexpr int STAGES = 3;
    __shared__ int buffer[STAGES][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int compute = 0, fetch = 0; compute < tiles; compute++) {
        for (; fetch < tiles && fetch < compute + STAGES; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buffer[fetch % STAGES], in + fetch * THREADS, sizeof(int) * THREADS, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        int sum = 0;
        for (int i = 0; i <= (int)threadIdx.x; i++) sum += buffer[compute % STAGES][i];
        out[compute * THREADS + threadIdx.x] = sum;
        pipe.consumer_release();
    }
}

/// Groups' own copies, of sizes that are no multiple of anything.
__global__ void grouped(const char* in, char* out, int bytes) {
    __shared__ alignas(16) char buffer[1024];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    char* own = buffer + tile.meta_group_rank() * 256;
    cg::memcpy_async(tile, own, in + tile.meta_group_rank() * bytes, bytes);
    cg::wait(tile);
    for (int i = tile.thread_rank(); i < bytes; i += 32) out[tile.meta_group_rank() * bytes + i] = own[bytes - 1 - i];
}

__global__ void single_thread_pipeline(const int4* in, int4* out) {
    __shared__ int4 buffer[2][THREADS];
    auto pipe = cuda::make_pipeline();
    for (int stage = 0; stage < 2; stage++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&buffer[stage][threadIdx.x], in + stage * THREADS + threadIdx.x,
                           cuda::aligned_size_t<16>(sizeof(int4)), pipe);
        pipe.producer_commit();
    }
    int4 total = make_int4(0, 0, 0, 0);
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    total = buffer[0][threadIdx.x];
    pipe.consumer_release();
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    int4 other = buffer[1][threadIdx.x];
    pipe.consumer_release();
    out[threadIdx.x] = make_int4(total.x + other.x, total.y - other.y, total.z ^ other.z, total.w & other.w);
}

int main() {
    constexpr int TILES = 24;
    int *in, *out;
    long long* sums;
    CUDA(cudaMallocManaged(&in, TILES * THREADS * sizeof(int)));
    CUDA(cudaMallocManaged(&out, TILES * THREADS * sizeof(int)));
    CUDA(cudaMallocManaged(&sums, 4 * sizeof(long long)));
    for (int i = 0; i < TILES * THREADS; i++) in[i] = i * 2654435761u >> 8;

    rotate<<<5, THREADS>>>(in, out, TILES);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < TILES; t++)
        for (int i = 0; i < THREADS; i++) EXPECT(out[t * THREADS + i] == in[t * THREADS + (i * 7 + 1) % THREADS] + t);

    for (int i = 0; i < 4; i++) sums[i] = 0;
    specialise<<<4, THREADS>>>(in, sums, 6);
    CUDA(cudaDeviceSynchronize());
    for (int block = 0; block < 4; block++) {
        long long sum = 0;
        for (int round = 0; round < 6; round++)
            for (int i = 0; i < THREADS; i++) sum += (long long)in[(block * 6 + round) * THREADS + i] * (round + 1);
        EXPECT(sums[block] == sum);
    }

    staged<<<1, THREADS>>>(in, out, TILES);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < TILES; t++) {
        int sum = 0;
        for (int i = 0; i < THREADS; i++) EXPECT(out[t * THREADS + i] == (sum += in[t * THREADS + i]));
    }

    for (int bytes : {4, 16, 64, 100, 252}) {
        grouped<<<1, 128>>>((const char*)in, (char*)out, bytes);
        CUDA(cudaDeviceSynchronize());
        for (int g = 0; g < 4; g++)
            for (int i = 0; i < bytes; i++)
                EXPECT(((char*)out)[g * bytes + i] == ((const char*)in)[g * bytes + bytes - 1 - i]);
    }

    single_thread_pipeline<<<1, THREADS>>>((const int4*)in, (int4*)out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < THREADS; i++) {
        int4 a = ((const int4*)in)[i], b = ((const int4*)in)[THREADS + i], c = ((int4*)out)[i];
        EXPECT(c.x == a.x + b.x && c.y == a.y - b.y && c.z == (a.z ^ b.z) && c.w == (a.w & b.w));
    }
    return pass("barriers_async");
}
