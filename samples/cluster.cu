// sample: arch = compute_90
// Clusters of blocks with distributed shared memory: a histogram whose bins lie in several blocks, a ring
// of neighbours, and launches with sizes fixed at compile time and at run time.
#include "sample.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) fail("%s:%d: %s", __FILE__, __LINE__, #condition);                                 \
    } while (0)

constexpr int BINS = 256;

/// Each block of a cluster holds its share of the bins.
__global__ void histogram(const int* values, int count, int* bins) {
    extern __shared__ int own[];
    cg::cluster_group cluster = cg::this_cluster();
    int blocks = cluster.num_blocks();
    int share = BINS / blocks;
    for (int i = threadIdx.x; i < share; i += blockDim.x) own[i] = 0;
    cluster.sync();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        int bin = values[i] & (BINS - 1);
        int* there = cluster.map_shared_rank(own, bin / share);
        atomicAdd(there + bin % share, 1);
    }
    cluster.sync();
    int* first = bins + cluster.block_rank() * share;
    for (int i = threadIdx.x; i < share; i += blockDim.x) atomicAdd(first + i, own[i]);
}

/// Each block reads what the next one of its cluster wrote.
__global__ void __cluster_dims__(4, 1, 1) ring(int* out) {
    __shared__ int word[32];
    cg::cluster_group cluster = cg::this_cluster();
    word[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(std::move(token));
    int next = (cluster.block_rank() + 1) % cluster.num_blocks();
    out[blockIdx.x * 32 + threadIdx.x] =
        *cluster.map_shared_rank(word + 31 - threadIdx.x, next) + 10000 * cluster.block_rank();
    cluster.sync();
}

__global__ void ranks(int* out) {
    cg::cluster_group cluster = cg::this_cluster();
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    dim3 place = cluster.block_index();
    dim3 size = cluster.dim_blocks();
    out[4 * block] = cluster.block_rank();
    out[4 * block + 1] = place.x + 10 * place.y + 100 * place.z;
    out[4 * block + 2] = size.x + 10 * size.y + 100 * size.z;
    out[4 * block + 3] = cluster.num_threads();
}

/// More blocks than run at the same time: static and dynamic shared memory, read by matrix instructions, atomic
/// operations through generic addresses of neighbours, and barriers of the block beside those of the cluster.
__global__ void many(unsigned* out) {
    __shared__ unsigned counts[2];
    extern __shared__ __align__(128) unsigned short rows[];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
    if (threadIdx.x < 2) counts[threadIdx.x] = 0;
    for (unsigned i = threadIdx.x; i < 64; i += blockDim.x) rows[i] = 1000 * blockIdx.x + i;
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(counts, (rank + 1) % blocks), 1u);
    atomicMax(cluster.map_shared_rank(counts + 1, (rank + 3) % blocks), 1000 * rank + threadIdx.x);
    __syncthreads();
    unsigned matrix;
    unsigned address = __cvta_generic_to_shared(rows + threadIdx.x % 8 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(matrix) : "r"(address) : "memory");
    cluster.sync();
    unsigned* place = out + 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    place[0] = counts[0];
    place[1] = counts[1];
    place[2] = matrix;
    place[3] = __isShared(counts) && !__isGlobal(counts) && !__isLocal(counts) &&
               cluster.query_shared_rank(cluster.map_shared_rank(counts, 1)) == 1;
}

/// Barriers that lanes of a warp come to on different ways, and that threads and whole blocks leave before.
__global__ void leaving(int* out) {
    __shared__ int word;
    cg::cluster_group cluster = cg::this_cluster();
    int rank = cluster.block_rank();
    if (rank == 3) return;
    if (threadIdx.x == 0) word = 10 * blockIdx.x;
    if (threadIdx.x % 3 == 2 || threadIdx.x >= 64) return;
    if (threadIdx.x % 2 == 0) {
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        out[64 * blockIdx.x + threadIdx.x] = 0;
        asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    } else {
        asm volatile("barrier.cluster.arrive;" ::: "memory");
        asm volatile("barrier.cluster.wait;" ::: "memory");
    }
    int seen = *cluster.map_shared_rank(&word, (rank + 1) % 3);
    out[64 * blockIdx.x + threadIdx.x] = seen + 1;
}

/// The whole grid waits for itself.
__global__ void whole_grid(int* out) {
    __shared__ int sum;
    cg::cluster_group cluster = cg::this_cluster();
    cg::grid_group grid = cg::this_grid();
    if (threadIdx.x == 0) sum = 0;
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(&sum, 0), 1);
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) atomicAdd(out, sum);
    grid.sync();
    if (threadIdx.x == 0) out[1 + blockIdx.x] = *(volatile int*)out;
}

static cudaLaunchConfig_t config_of(dim3 grid, dim3 block, size_t shared, cudaLaunchAttribute* attribute, dim3 cluster) {
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = cluster.x;
    attribute->val.clusterDim.y = cluster.y;
    attribute->val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.attrs = attribute;
    config.numAttrs = 1;
    return config;
}

int main() {
    constexpr int COUNT = 1 << 16;
    int *values, *bins, *out;
    CUDA(cudaMallocManaged(&values, COUNT * sizeof(int)));
    CUDA(cudaMallocManaged(&bins, BINS * sizeof(int)));
    CUDA(cudaMallocManaged(&out, 4096 * sizeof(int)));
    unsigned seed = 12345;
    int expected[BINS] = {};
    for (int i = 0; i < COUNT; i++) {
        seed = seed * 1664525 + 1013904223;
        values[i] = seed >> 16;
        expected[values[i] & (BINS - 1)]++;
    }
    for (int blocks : {1, 2, 4, 8}) {
        for (int i = 0; i < BINS; i++) bins[i] = 0;
        cudaLaunchAttribute attribute;
        cudaLaunchConfig_t config = config_of(16, 128, BINS / blocks * sizeof(int), &attribute, blocks);
        CUDA(cudaLaunchKernelEx(&config, histogram, (const int*)values, COUNT, bins));
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < BINS; i++) EXPECT(bins[i] == expected[i]);
    }

    ring<<<8, 32>>>(out);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    for (int block = 0; block < 8; block++) {
        int next = block / 4 * 4 + (block + 1) % 4;
        for (int i = 0; i < 32; i++) EXPECT(out[block * 32 + i] == next * 100 + 31 - i + 10000 * (block % 4));
    }

    cudaLaunchAttribute attribute;
    dim3 grid(4, 6, 2);
    cudaLaunchConfig_t config = config_of(grid, dim3(5, 3, 2), 0, &attribute, dim3(2, 3, 1));
    CUDA(cudaLaunchKernelEx(&config, ranks, out));
    CUDA(cudaDeviceSynchronize());
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                int* block = out + 4 * ((z * grid.y + y) * grid.x + x);
                EXPECT(block[0] == int(x % 2 + 2 * (y % 3)));
                EXPECT(block[1] == int(x % 2 + 10 * (y % 3)));
                EXPECT(block[2] == 2 + 30 + 100);
                EXPECT(block[3] == 6 * 30);
            }

    for (unsigned size : {4, 8}) {
        constexpr unsigned BLOCKS = 96, THREADS = 512;
        unsigned* words;
        CUDA(cudaMallocManaged(&words, 4 * BLOCKS * THREADS * sizeof(unsigned)));
        config = config_of(BLOCKS, THREADS, 64 * sizeof(short), &attribute, size);
        CUDA(cudaLaunchKernelEx(&config, many, words));
        CUDA(cudaDeviceSynchronize());
        for (unsigned i = 0; i < BLOCKS * THREADS; i++) {
            unsigned block = i / THREADS, lane = i % 32;
            unsigned* found = words + 4 * i;
            EXPECT(found[0] == THREADS);
            EXPECT(found[1] == 1000 * ((block + 2 * size - 3) % size) + THREADS - 1);
            unsigned low = 1000 * block + lane / 4 * 8 + lane % 4 * 2;
            EXPECT(found[2] == ((low & 0xffff) | (low + 1) << 16));
            EXPECT(found[3] == 1);
        }
        CUDA(cudaFree(words));
    }

    for (int i = 0; i < 8 * 64; i++) out[i] = -1;
    config = config_of(8, 96, 0, &attribute, 4);
    CUDA(cudaLaunchKernelEx(&config, leaving, out));
    CUDA(cudaDeviceSynchronize());
    for (int block = 0; block < 8; block++)
        for (int i = 0; i < 64; i++) {
            int seen = 10 * (block / 4 * 4 + (block % 4 + 1) % 3) + 1;
            EXPECT(out[64 * block + i] == (block % 4 == 3 || i % 3 == 2 ? -1 : seen));
        }

    out[0] = 0;
    cudaLaunchAttribute both[2];
    config = config_of(8, 64, 0, both, 2);
    both[1].id = cudaLaunchAttributeCooperative;
    both[1].val.cooperative = 1;
    config.numAttrs = 2;
    CUDA(cudaLaunchKernelEx(&config, whole_grid, out));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 9; i++) EXPECT(out[i] == 8 * 64);

    // What cannot be.
    config = config_of(6, 32, 0, &attribute, 4);
    EXPECT(cudaLaunchKernelEx(&config, ranks, out) != cudaSuccess);
    (void)cudaGetLastError();
    config = config_of(16, 32, 0, &attribute, 16);
    EXPECT(cudaLaunchKernelEx(&config, ranks, out) == cudaErrorInvalidClusterSize);
    (void)cudaGetLastError();
    int most = 0;
    config = config_of(16, 32, 0, &attribute, 8);
    CUDA(cudaOccupancyMaxPotentialClusterSize(&most, ranks, &config));
    EXPECT(most == 8);
    config = config_of(16, 32, 0, &attribute, 16);
    CUDA(cudaFuncSetAttribute(ranks, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CUDA(cudaLaunchKernelEx(&config, ranks, out));
    CUDA(cudaDeviceSynchronize());
    for (int block = 0; block < 16; block++) EXPECT(out[4 * block] == block);
    int clusters = 0;
    config = config_of(16, 32, 0, &attribute, 4);
    CUDA(cudaOccupancyMaxActiveClusters(&clusters, ranks, &config));
    EXPECT(clusters >= 1);

    return pass("cluster");
}
