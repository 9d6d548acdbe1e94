// Bytes: the places of a pattern in a text, and the game of life on a plane without ends.
#include "cuda_bench.h"
#include "sizes.h"

constexpr int N = LIFE_SIZE;

__constant__ unsigned char pattern[PATTERN_LENGTH];

__global__ void match(const unsigned char *text, unsigned char *found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, length = 0;
    while (length < PATTERN_LENGTH && text[i + length] == pattern[length]) ++length;
    found[i] = length == PATTERN_LENGTH;
}

__global__ void live(const unsigned char *from, unsigned char *to) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int left = (x - 1) & (N - 1), right = (x + 1) & (N - 1);
    int above = ((y - 1) & (N - 1)) * N, below = ((y + 1) & (N - 1)) * N, row = y * N;
    int neighbours = from[above + left] + from[above + x] + from[above + right] + from[row + left] + from[row + right] +
                     from[below + left] + from[below + x] + from[below + right];
    to[row + x] = neighbours == 3 || (neighbours == 2 && from[row + x]);
}

int main() {
    auto letters = random_integers<unsigned char>(TEXT_LENGTH + PATTERN_LENGTH, 3, 1);
    CUDA(cudaMemcpyToSymbol(pattern, letters.data() + TEXT_LENGTH / 2, PATTERN_LENGTH));
    unsigned char *text = to_device(letters), *found = on_device<unsigned char>(TEXT_LENGTH);
    measure_kernel("string_match", found, TEXT_LENGTH, [&] { match<<<TEXT_LENGTH / 256, 256>>>(text, found); });

    unsigned char *from = to_device(random_integers<unsigned char>(N * N, 2, 2)), *to = on_device<unsigned char>(N * N);
    dim3 block(32, 8), grid(N / 32, N / 8);
    measure_kernel("game_of_life", to, N * N, [&] { live<<<grid, block>>>(from, to); });
}
