// bench: arch = compute_80
// Attention without the matrix of all scores: keys and values pass by in steps, and sums are rescaled where the largest
// score grows. In single precision with a thread a query, and by matrix instructions of halves with sixteen queries a warp.
#include "cuda_bench.h"
#include "sizes.h"

#include <cuda_fp16.h>

constexpr int D = HEAD_SIZE, STEP = KEYS_A_STEP, QUERIES_A_BLOCK = 64;
constexpr float SCALE = 0.125f;
static_assert(D == 64 && STEP == 32);

__global__ void attend(const float *queries, const float *keys, const float *values, float *out) {
    __shared__ float key[STEP][D], value[STEP][D];
    int thread = threadIdx.x, head = blockIdx.y * SEQUENCE * D;
    int query = head + (blockIdx.x * QUERIES_A_BLOCK + thread) * D;
    float q[D], sums[D], most = -INFINITY, total = 0;
#pragma unroll
    for (int d = 0; d < D; ++d) {
        q[d] = queries[query + d] * SCALE;
        sums[d] = 0;
    }
    for (int start = 0; start < SEQUENCE; start += STEP) {
        __syncthreads();
        for (int i = thread; i < STEP * D; i += QUERIES_A_BLOCK) {
            key[i / D][i % D] = keys[head + start * D + i];
            value[i / D][i % D] = values[head + start * D + i];
        }
        __syncthreads();
        float scores[STEP], before = most;
#pragma unroll
        for (int j = 0; j < STEP; ++j) {
            float score = 0;
#pragma unroll
            for (int d = 0; d < D; ++d) score += q[d] * key[j][d];
            scores[j] = score;
            most = fmaxf(most, score);
        }
        float factor = expf(before - most);
        total *= factor;
#pragma unroll
        for (int d = 0; d < D; ++d) sums[d] *= factor;
#pragma unroll
        for (int j = 0; j < STEP; ++j) {
            float weight = expf(scores[j] - most);
            total += weight;
#pragma unroll
            for (int d = 0; d < D; ++d) sums[d] += weight * value[j][d];
        }
    }
#pragma unroll
    for (int d = 0; d < D; ++d) out[query + d] = sums[d] / total;
}

__device__ void multiply(float (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ unsigned pair(float low, float high) {
    half2 halves = __floats2half2_rn(low, high);
    return *(unsigned *)&halves;
}

__device__ unsigned pair_at(const half *halves) { return *(const unsigned *)halves; }

__global__ void attend_mma(const half *queries, const half *keys, const half *values, float *out) {
    // Rows are longer than they need be so that those of a warp lie in different banks. Values lie in columns.
    __shared__ half key[STEP][D + 8], value[D][STEP + 8];
    int thread = threadIdx.x, lane = thread % 32, group = lane / 4, column = lane % 4 * 2, head = blockIdx.y * SEQUENCE * D;
    int row = head + (blockIdx.x * QUERIES_A_BLOCK + thread / 32 * 16 + group) * D;
    unsigned q[D / 16][4];
    for (int k = 0; k < D / 16; ++k)
        for (int i = 0; i < 4; ++i) q[k][i] = pair_at(&queries[row + i % 2 * 8 * D + k * 16 + i / 2 * 8 + column]);
    // Of the rows `group` and `group + 8` of the warp's queries.
    float sums[D / 8][4] = {}, most[2] = {-INFINITY, -INFINITY}, total[2] = {};
    for (int start = 0; start < SEQUENCE; start += STEP) {
        __syncthreads();
        for (int i = thread; i < STEP * D; i += 128) {
            key[i / D][i % D] = keys[head + start * D + i];
            value[i % D][i / D] = values[head + start * D + i];
        }
        __syncthreads();
        float scores[STEP / 8][4] = {};
#pragma unroll
        for (int n = 0; n < STEP / 8; ++n)
#pragma unroll
            for (int k = 0; k < D / 16; ++k) {
                const half *from = &key[n * 8 + group][k * 16 + column];
                multiply(scores[n], q[k], pair_at(from), pair_at(from + 8));
            }
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float before = most[half];
#pragma unroll
            for (int n = 0; n < STEP / 8; ++n)
#pragma unroll
                for (int i = 2 * half; i < 2 * half + 2; ++i) {
                    scores[n][i] *= SCALE;
                    most[half] = fmaxf(most[half], scores[n][i]);
                }
            for (int offset = 1; offset < 4; offset *= 2)
                most[half] = fmaxf(most[half], __shfl_xor_sync(0xffffffff, most[half], offset));
            float factor = expf(before - most[half]);
            total[half] *= factor;
#pragma unroll
            for (int n = 0; n < D / 8; ++n)
#pragma unroll
                for (int i = 2 * half; i < 2 * half + 2; ++i) sums[n][i] *= factor;
#pragma unroll
            for (int n = 0; n < STEP / 8; ++n)
#pragma unroll
                for (int i = 2 * half; i < 2 * half + 2; ++i)
                    total[half] += scores[n][i] = expf(scores[n][i] - most[half]);
        }
#pragma unroll
        for (int k = 0; k < STEP / 16; ++k) {
            const float *low = scores[2 * k], *high = scores[2 * k + 1];
            unsigned weights[4] = {pair(low[0], low[1]), pair(low[2], low[3]), pair(high[0], high[1]),
                                   pair(high[2], high[3])};
#pragma unroll
            for (int n = 0; n < D / 8; ++n) {
                const half *from = &value[n * 8 + group][k * 16 + column];
                multiply(sums[n], weights, pair_at(from), pair_at(from + 8));
            }
        }
    }
    for (int half = 0; half < 2; ++half) {
        for (int offset = 1; offset < 4; offset *= 2) total[half] += __shfl_xor_sync(0xffffffff, total[half], offset);
        for (int n = 0; n < D / 8; ++n)
            for (int i = 0; i < 2; ++i)
                out[row + half * 8 * D + n * 8 + column + i] = sums[n][2 * half + i] / total[half];
    }
}

int main() {
    const int count = HEADS * SEQUENCE * D;
    std::vector<float> floats[3];
    std::vector<half> halves[3];
    for (int i = 0; i < 3; ++i) {
        floats[i] = random_floats(count, i + 1);
        for (float &number : floats[i]) {
            number = 4 * number - 2;
            halves[i].push_back(__float2half(number));
        }
    }
    float *q = to_device(floats[0]), *k = to_device(floats[1]), *v = to_device(floats[2]), *out = on_device<float>(count);
    half *half_q = to_device(halves[0]), *half_k = to_device(halves[1]), *half_v = to_device(halves[2]);
    dim3 grid(SEQUENCE / QUERIES_A_BLOCK, HEADS);
    measure_kernel("attention_f32", out, count, [&] { attend<<<grid, QUERIES_A_BLOCK>>>(q, k, v, out); });
    measure_kernel("attention_mma", out, count, [&] { attend_mma<<<grid, 128>>>(half_q, half_k, half_v, out); });
}
