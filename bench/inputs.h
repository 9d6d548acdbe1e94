// Sizes, inputs, timing and output that kernels.cu and native.cpp share.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

const int SAXPY_SIZE = 1 << 20, MATMUL_SIZE = 1024, TILE = 32, REDUCE_SIZE = 1 << 22, MANDELBROT_SIZE = 1024,
          MANDELBROT_LIMIT = 512, HISTOGRAM_SIZE = 1 << 22, NBODY_SIZE = 8192;
const float SOFTENING = 0.01f;

// Reproducible numbers (splitmix64).
inline uint64_t next(uint64_t &state) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

inline std::vector<float> floats(size_t count, uint64_t seed) {
    std::vector<float> values(count);
    for (float &value : values) value = float(next(seed) >> 40) / float(1 << 24);
    return values;
}

inline std::vector<unsigned char> bytes(size_t count, uint64_t seed) {
    std::vector<unsigned char> values(count);
    for (unsigned char &value : values) value = (unsigned char)(next(seed) >> 32);
    return values;
}

template <class F> double best_milliseconds(F work) {
    work();
    std::vector<double> times;
    auto begin = std::chrono::steady_clock::now();
    do {
        auto start = std::chrono::steady_clock::now();
        work();
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    } while (times.size() < 5 || (times.size() < 200 && std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(500)));
    return *std::min_element(times.begin(), times.end());
}

template <class T> double sum(const std::vector<T> &values) {
    double total = 0;
    for (T value : values) total += value;
    return total;
}

inline double weighted(const std::vector<unsigned> &bins) {
    double total = 0;
    for (size_t i = 0; i < bins.size(); ++i) total += double(bins[i]) * double(i + 1);
    return total;
}

inline void print(const char *name, double milliseconds, double checksum) {
    std::printf("%s %.6f %.10g\n", name, milliseconds, checksum);
    std::fflush(stdout);
}
