// Loops down the columns of a matrix, which neighbouring warps may go through together: as many rounds for all, for each warp
// its own number, for each thread its own, with stores on the way, with barriers around them, and in blocks of any shape.
#include "sample.h"

constexpr int ROWS = 208, WIDTH = 1056;

__host__ __device__ unsigned mix(unsigned hash, unsigned value) { return hash * 31 + value; }

// As many rows for all, which the compiler knows.
__global__ void whole_columns(const unsigned *from, unsigned *to) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned hash = 7;
    for (int row = 0; row < ROWS; ++row) hash = mix(hash, from[row * WIDTH + column]);
    to[column] = hash;
}

// Each thread has its own number of rows, and keeps what it has so far.
__global__ void parts_of_columns(const unsigned *from, const int *lengths, unsigned *to, unsigned *kept) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, length = lengths[column];
    unsigned hash = 7;
#pragma unroll 1
    for (int row = 0; row < length; ++row) {
        hash = mix(hash, from[row * WIDTH + column]);
        kept[row * WIDTH + column] = hash;
    }
    to[column] = hash;
}

// Some warps have no columns, others end when they find something; all meet at barriers before and behind.
__global__ void searched_columns(const unsigned *from, unsigned *to) {
    __shared__ unsigned found[1024];
    int thread = threadIdx.y * blockDim.x + threadIdx.x, size = blockDim.x * blockDim.y;
    int column = blockIdx.x * size + thread;
    found[thread] = thread;
    __syncthreads();
    unsigned hash = found[size - 1 - thread];
    if (thread / 32 % 3 != 1) {
#pragma unroll 1
        for (int row = 0; row < ROWS; ++row) {
            unsigned value = from[row * WIDTH + column];
            hash = mix(hash, value);
            if (value % 64 == 5) break;
        }
    }
    __syncthreads();
    found[thread] = hash;
    __syncthreads();
    to[column] = found[thread] ^ found[(thread + 33) % size];
}

// What is left of a column behind some rows.
static unsigned hash_of(const std::vector<unsigned> &from, int column, int length) {
    unsigned hash = 7;
    for (int row = 0; row < length; ++row) hash = mix(hash, from[row * WIDTH + column]);
    return hash;
}

// The hash of each thread of a block that searches, whose columns begin with `first`.
static std::vector<unsigned> search(const std::vector<unsigned> &from, int first, int size) {
    std::vector<unsigned> found(size);
    for (int thread = 0; thread < size; ++thread) {
        unsigned hash = size - 1 - thread;
        for (int row = 0; thread / 32 % 3 != 1 && row < ROWS; ++row) {
            unsigned value = from[row * WIDTH + first + thread];
            hash = mix(hash, value);
            if (value % 64 == 5) break;
        }
        found[thread] = hash;
    }
    return found;
}

static void expect(unsigned result, unsigned expected, const char *kernel, int threads, int column) {
    if (result != expected) fail("%s, %d threads, column %d: %u for %u", kernel, threads, column, result, expected);
}

int main() {
    std::vector<unsigned> from(ROWS * WIDTH);
    for (size_t i = 0; i < from.size(); ++i) from[i] = unsigned(i ^ i >> 3) * 2654435761u >> 7;
    // By warps, by threads, and one less for the last thread of each warp.
    std::vector<int> lengths(WIDTH);
    for (int i = 0; i < WIDTH; ++i)
        lengths[i] = i < 352 ? i / 32 * 17 : i < 704 ? i * 13 % (ROWS + 1) : ROWS - i % 32 / 31;
    DeviceArray<unsigned> device_from(from), to(WIDTH), kept(ROWS * WIDTH);
    DeviceArray<int> device_lengths(lengths);

    for (int threads : {32, 96, 132, 352, 528}) {
        whole_columns<<<WIDTH / threads, threads>>>(device_from.get(), to.get());
        CUDA_FINISH();
        std::vector<unsigned> results = to.to_host();
        for (int i = 0; i < WIDTH; ++i) expect(results[i], hash_of(from, i, ROWS), "whole", threads, i);

        parts_of_columns<<<WIDTH / threads, threads>>>(device_from.get(), device_lengths.get(), to.get(), kept.get());
        CUDA_FINISH();
        results = to.to_host();
        std::vector<unsigned> all = kept.to_host();
        for (int i = 0; i < WIDTH; ++i) {
            expect(results[i], hash_of(from, i, lengths[i]), "parts", threads, i);
            for (int row : {0, lengths[i] / 2, lengths[i] - 1})
                if (row >= 0 && row < lengths[i])
                    expect(all[row * WIDTH + i], hash_of(from, i, row + 1), "kept", threads, i);
        }
    }
    for (dim3 block : {dim3(96), dim3(352), dim3(16, 22), dim3(32, 11), dim3(48, 11), dim3(16, 2)}) {
        int size = block.x * block.y;
        searched_columns<<<WIDTH / size, block>>>(device_from.get(), to.get());
        CUDA_FINISH();
        std::vector<unsigned> results = to.to_host();
        for (int first = 0; first < WIDTH; first += size) {
            std::vector<unsigned> found = search(from, first, size);
            for (int thread = 0; thread < size; ++thread)
                expect(results[first + thread], found[thread] ^ found[(thread + 33) % size], "searched", size,
                       first + thread);
        }
    }
    return pass("long_columns");
}
