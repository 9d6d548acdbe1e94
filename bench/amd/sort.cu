// One step of a bitonic sort.
extern "C" __global__ void sort(unsigned *values, unsigned distance, unsigned run)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
    if (other <= i)
        return;
    unsigned a = values[i], b = values[other];
    if ((a > b) == ((i & run) == 0)) {
        values[i] = b;
        values[other] = a;
    }
}
