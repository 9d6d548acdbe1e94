// Numbers go through rounds of mixing, and are counted by their remainder.
extern "C" __global__ void hash(const unsigned *keys, unsigned *slots, unsigned n, unsigned size, int rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned h = keys[i];
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h = (h << 13) | (h >> 19);
        h += __popc(h) * 0xc2b2ae35u;
    }
    slots[i] = h % size;
}
