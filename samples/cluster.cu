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
        if (blocks > 1 && !has_clusters()) {
            EXPECT(cudaLaunchKernelEx(&config, histogram, (const int*)values, COUNT, bins) == cudaErrorNotSupported);
            (void)cudaGetLastError();
            continue;
        }
        CUDA(cudaLaunchKernelEx(&config, histogram, (const int*)values, COUNT, bins));
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < BINS; i++) EXPECT(bins[i] == expected[i]);
    }

    if (!has_clusters()) return pass("cluster");

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
