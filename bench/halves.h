// Halves of IEEE in C++, sixteen at a time by way of floats: g++ has no vectors of them.
#pragma once

#include <cstdint>
#include <immintrin.h>

using Half = uint16_t;

inline float to_float(Half half) { return _cvtsh_ss(half); }

inline Half to_half(float number) { return _cvtss_sh(number, _MM_FROUND_TO_NEAREST_INT); }

constexpr int LANES = 16;

inline void to_floats(const Half *halves, float *floats) {
    for (int i = 0; i < LANES; i += 8)
        _mm256_storeu_ps(floats + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(halves + i))));
}

inline void to_halves(const float *floats, Half *halves) {
    for (int i = 0; i < LANES; i += 8)
        _mm_storeu_si128((__m128i *)(halves + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(floats + i), _MM_FROUND_TO_NEAREST_INT));
}
