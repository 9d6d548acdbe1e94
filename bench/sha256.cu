#include "cuda_bench.h"
#include "sha256.h"
#include "sizes.h"

__global__ void sha256(const uint32_t *messages, uint32_t *hashes) {
    hash(messages, hashes, blockIdx.x * blockDim.x + threadIdx.x, MESSAGES);
}

int main() {
    uint32_t *messages = to_device(random_integers<uint32_t>(MESSAGES * 16, 4294967295.0, 1));
    uint32_t *hashes = on_device<uint32_t>(MESSAGES * 8);
    measure_kernel("sha256", hashes, MESSAGES * 8, [&] { sha256<<<MESSAGES / 256, 256>>>(messages, hashes); });
}
