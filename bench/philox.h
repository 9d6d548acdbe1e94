// Points by their index, with random coordinates by Philox of four words and ten rounds.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define ON_BOTH_SIDES __host__ __device__
#else
#define ON_BOTH_SIDES
#endif

// How many of two points in a square are in the quarter of a circle; one word of four for each coordinate.
ON_BOTH_SIDES inline int inside(uint32_t low, uint32_t high) {
    uint32_t a = low, b = high, c = 0, d = 0, key_0 = 17, key_1 = 42;
#ifndef __CUDACC__
#pragma GCC unroll 10
#endif
    for (int round = 0; round < 10; ++round) {
        uint64_t first = uint64_t(0xD2511F53u) * a, second = uint64_t(0xCD9E8D57u) * c;
        a = uint32_t(second >> 32) ^ b ^ key_0;
        b = uint32_t(second);
        c = uint32_t(first >> 32) ^ d ^ key_1;
        d = uint32_t(first);
        key_0 += 0x9E3779B9u;
        key_1 += 0xBB67AE85u;
    }
    const float unit = 1.0f / (1 << 24);
    float x = int(a >> 8) * unit, y = int(b >> 8) * unit, z = int(c >> 8) * unit, w = int(d >> 8) * unit;
    return (x * x + y * y < 1) + (z * z + w * w < 1);
}
