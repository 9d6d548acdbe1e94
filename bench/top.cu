// The largest values of rows, and where they are. A warp a row: each lane keeps the largest of its own; the heads of these
// lists then compete.
#include "cuda_bench.h"
#include "sizes.h"

__global__ void top_k(const float *rows, float *values, int *places) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    rows += row * TOP_LENGTH;
    float mine[TOP];
    int at[TOP];
#pragma unroll
    for (int k = 0; k < TOP; ++k) {
        mine[k] = -INFINITY;
        at[k] = -1;
    }
    for (int i = lane; i < TOP_LENGTH; i += 32) {
        float value = rows[i];
        int place = i;
        if (value <= mine[TOP - 1]) continue;
#pragma unroll
        for (int k = 0; k < TOP; ++k)
            if (value > mine[k]) {
                float smaller = mine[k];
                int its_place = at[k];
                mine[k] = value;
                at[k] = place;
                value = smaller;
                place = its_place;
            }
    }
    for (int rank = 0; rank < TOP; ++rank) {
        float most = mine[0];
        for (int offset = 16; offset > 0; offset /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, offset));
        int winner = __ffs(__ballot_sync(0xffffffff, mine[0] == most)) - 1;
        if (lane == winner) {
            values[row * TOP + rank] = mine[0];
            places[row * TOP + rank] = at[0];
#pragma unroll
            for (int k = 0; k + 1 < TOP; ++k) {
                mine[k] = mine[k + 1];
                at[k] = at[k + 1];
            }
            mine[TOP - 1] = -INFINITY;
        }
    }
}

int main() {
    float *rows = to_device(random_floats(TOP_ROWS * TOP_LENGTH, 1)), *values = on_device<float>(TOP_ROWS * TOP);
    int *places = on_device<int>(TOP_ROWS * TOP);
    // Equal values may be found in either order.
    measure_kernel("top_k", values, TOP_ROWS * TOP, [&] { top_k<<<TOP_ROWS / 8, 256>>>(rows, values, places); });
}
