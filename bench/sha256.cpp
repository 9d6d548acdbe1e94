#include "sha256.h"

#include "bench.h"
#include "sizes.h"

static void sha256(const uint32_t *messages, uint32_t *hashes) {
#pragma omp parallel for simd
    for (int i = 0; i < MESSAGES; ++i) hash(messages, hashes, i, MESSAGES);
}

int main() {
    auto messages = random_integers<uint32_t>(MESSAGES * 16, 4294967295.0, 1);
    std::vector<uint32_t> hashes(MESSAGES * 8);
    measure("sha256", [&] { sha256(messages.data(), hashes.data()); }, [&] { return checksum_of(hashes); });
}
