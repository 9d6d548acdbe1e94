// Sums up to each element, within blocks of 512 threads.
extern "C" __global__ void __launch_bounds__(512) scan(const int *in, int *out, int *totals, int n)
{
    __shared__ int sums[2][512];
    int thread = threadIdx.x, i = blockIdx.x * 512 + thread, from = 0;
    sums[0][thread] = i < n ? in[i] : 0;
    __syncthreads();
    for (int distance = 1; distance < 512; distance *= 2) {
        int value = sums[from][thread];
        if (thread >= distance)
            value += sums[from][thread - distance];
        from ^= 1;
        sums[from][thread] = value;
        __syncthreads();
    }
    if (i < n)
        out[i] = sums[from][thread];
    if (thread == 511)
        totals[blockIdx.x] = sums[from][511];
}
