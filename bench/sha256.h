// SHA-256 of messages of one block, for both sides.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define ON_BOTH_SIDES __host__ __device__
#define CONSTANT __constant__
#else
#define ON_BOTH_SIDES
#define CONSTANT static const
#endif

CONSTANT uint32_t ROUND_CONSTANTS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

ON_BOTH_SIDES inline uint32_t rotated(uint32_t x, int bits) { return x >> bits | x << (32 - bits); }

// One block of sixteen words into the state.
ON_BOTH_SIDES inline void compress(uint32_t *state, uint32_t *w) {
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
#pragma GCC unroll 64
#ifdef __CUDACC__
#pragma unroll
#endif
    for (int i = 0; i < 64; ++i) {
        if (i >= 16) {
            uint32_t before_15 = w[(i - 15) % 16], before_2 = w[(i - 2) % 16];
            w[i % 16] += w[(i - 7) % 16] + (rotated(before_15, 7) ^ rotated(before_15, 18) ^ before_15 >> 3) +
                         (rotated(before_2, 17) ^ rotated(before_2, 19) ^ before_2 >> 10);
        }
        uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
        uint32_t first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice + ROUND_CONSTANTS[i] + w[i % 16];
        uint32_t second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority;
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

// Of message `i` of `count`; words lie apart so that neighbours read neighbours.
ON_BOTH_SIDES inline void hash(const uint32_t *messages, uint32_t *hashes, int i, int count) {
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint32_t words[16];
    for (int word = 0; word < 16; ++word) words[word] = messages[word * count + i];
    compress(state, words);
    // The end of a message of 512 bits.
    for (int word = 0; word < 16; ++word) words[word] = word == 0 ? 0x80000000 : word == 15 ? 512 : 0;
    compress(state, words);
    for (int word = 0; word < 8; ++word) hashes[word * count + i] = state[word];
}
