#include "cuda_bench.h"
#include "sizes.h"

// A warp copies the row of a token.
__global__ void gather(const float4 *table, const int *tokens, float4 *out) {
    int token = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    out[token * (TABLE_WIDTH / 4) + lane] = table[tokens[token] * (TABLE_WIDTH / 4) + lane];
}

static_assert(TABLE_WIDTH == 4 * 32);

int main() {
    float *table = to_device(random_floats(TABLE_ROWS * TABLE_WIDTH, 1)), *out = on_device<float>(TOKENS * TABLE_WIDTH);
    int *tokens = to_device(random_integers<int>(TOKENS, TABLE_ROWS, 2));
    measure_kernel("embedding_gather", out, TOKENS * TABLE_WIDTH,
                   [&] { gather<<<TOKENS / 8, 256>>>((float4 *)table, tokens, (float4 *)out); });
}
