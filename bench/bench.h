// What the CUDA programs and their native counterparts share: inputs, sizes, and the measurement.
//
// Every program prints one line for each kernel: its name, the best and the median time of a run in
// microseconds, and a checksum, which must be the same on both sides but for rounding.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Runs `work` until it is warm and then at least five times for at least half a second.
template <class Work> std::vector<double> times_of(Work work) {
    using Clock = std::chrono::steady_clock;
    auto seconds_since = [](Clock::time_point start) {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    // A compiler that begins with a quick version has time for the good one.
    auto start = Clock::now();
    for (int i = 0; i < 2 || (seconds_since(start) < 0.3 && i < 1000); ++i) work();

    std::vector<double> times;
    start = Clock::now();
    while (times.size() < 5 || (seconds_since(start) < 0.5 && times.size() < 500)) {
        auto before = Clock::now();
        work();
        times.push_back(seconds_since(before) * 1e6);
    }
    std::sort(times.begin(), times.end());
    return times;
}

inline void print_times(const char *name, const std::vector<double> &times, double checksum) {
    std::printf("%s %.3f %.3f %.9g\n", name, times.front(), times[times.size() / 2], checksum);
}

// Numbers in [0, 1).
inline std::vector<float> random_floats(size_t count, uint32_t seed) {
    std::vector<float> numbers(count);
    for (float &number : numbers) {
        seed = seed * 1664525u + 1013904223u;
        number = float(seed >> 8) / float(1 << 24);
    }
    return numbers;
}

inline double sum_of(const std::vector<float> &numbers) {
    double sum = 0;
    for (float number : numbers) sum += number;
    return sum;
}
