// printf in kernels: formats, widths, strings, 64-bit values, and order. What must appear is in printf.stdout.
// sample: machine_code = arguments in local memory
#include "sample.h"

__device__ const char *words[] = {"zero", "one", "two"};

__global__ void formats() {
    printf("no arguments\n");
    printf("integers %d %i %u %x %X %o\n", -42, 42, 4000000000u, 48879, 48879, 8);
    printf("widths [%5d] [%-5d] [%05d] [%+d] [% d] [%#x] [%.4d]\n", 42, 42, 42, 42, 42, 255, 7);
    printf("wide %lld %llu %llx %ld %lu\n", -9000000000ll, 18000000000000000000ull, 0x123456789abcdefull, -5l,
           8ul);
    printf("small %hd %hu %c%c\n", short(-3), (unsigned short)4, 'o', 'k');
    printf("floats %f %.2f %e %.3E %g %G %10.3f|%-10.1f|\n", 3.14159265f, 2.71828, 12345.678, 0.00012345, 1e20,
           1e-10, -1.5, 2.25);
    printf("special %f %f %g\n", 1.0 / 0.0, -1.0 / 0.0, -0.0);
    printf("strings %s [%8s] [%-8s] [%.2s] %s\n", "text", "right", "left", "cut", words[2]);
    printf("percent %% and a star [%*d]\n", 6, 12);
    printf("many %d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
}

// Barriers put the threads in order.
__global__ void ordered() {
    for (int turn = 0; turn < blockDim.x; ++turn) {
        if (threadIdx.x == turn && turn % 13 == 0)
            printf("block %d thread %d\n", int(blockIdx.x), int(threadIdx.x));
        __syncthreads();
    }
}

__device__ int returned[2];

__global__ void results() {
    returned[0] = printf("%d %d %s\n", 1, 2, "three");
    returned[1] = printf("nothing\n");
}

int main() {
    formats<<<1, 1>>>();
    CUDA_FINISH();
    std::printf("host, between\n");
    std::fflush(stdout);
    ordered<<<1, 64>>>();
    ordered<<<1, 14>>>();
    CUDA_FINISH();
    results<<<1, 1>>>();
    CUDA_FINISH();
    // The result is the number of arguments.
    int host[2];
    CUDA(cudaMemcpyFromSymbol(host, returned, sizeof(host)));
    expect_equal("arguments of the first", host[0], 3);
    expect_equal("arguments of the second", host[1], 0);
    return pass("printf");
}
