#include "cuda_bench.h"
#include "sizes.h"

// Each thread counts its values by their last bits, in an array of its own.
__global__ void count(const unsigned *values, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned bins[LOCAL_BINS] = {}, sum = 0;
    for (int k = 0; k < LOCAL_VALUES; ++k) ++bins[values[k * LOCAL_THREADS + i] % LOCAL_BINS];
    for (int bin = 0; bin < LOCAL_BINS; ++bin) sum = 31 * sum + bins[bin];
    out[i] = sum;
}

int main() {
    unsigned *values = to_device(random_integers<unsigned>(LOCAL_THREADS * LOCAL_VALUES, 1 << 24, 1));
    unsigned *out = on_device<unsigned>(LOCAL_THREADS);
    measure_kernel("local_array", out, LOCAL_THREADS, [&] { count<<<LOCAL_THREADS / 256, 256>>>(values, out); });
}
