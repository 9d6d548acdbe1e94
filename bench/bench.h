// What the CUDA programs and their native counterparts share: the measurement, inputs, and checksums.
//
// Every program prints one line for each kernel: its name; the best and the median time of a run on the clock, and the
// mean time of the processors, in microseconds; and a checksum, which must be the same on both sides but for rounding.
//
// The environment may say how long runs are repeated (BENCH_SECONDS), and the names of the kernels that are wanted, with
// a comma after each (BENCH_ONLY).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

inline double seconds() {
    const char *seconds = std::getenv("BENCH_SECONDS");
    return seconds ? std::atof(seconds) : 0.5;
}

inline bool is_wanted(const std::string &name) {
    const char *only = std::getenv("BENCH_ONLY");
    return !only || ("," + std::string(only)).find("," + name + ",") != std::string::npos;
}

// Microseconds that all threads of this process were on a processor. Others on the machine make a run last longer and
// leave this nearly alone. Linux counts what other threads do by the tick of some milliseconds: only the sum over many runs
// is exact.
inline double processor_time() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

inline double clock_time() {
    using namespace std::chrono;
    return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

inline void nothing_before() {}

// Runs `work` once for the checksum of what it leaves; then until it is warm; then at least three times, for the time.
// A `work` may do the same thing `repeats` times: what is printed is the time of one. What `before` does before each run is no part of
// its time on the clock.
template <class Work, class Checksum, class Before = void (*)()>
void measure(const char *name, Work work, Checksum checksum, int repeats = 1, Before before = nothing_before) {
    if (!is_wanted(name)) return;
    work();
    double sum = checksum(), start = clock_time();
    do work();
    while (clock_time() - start < seconds() * 0.3e6);

    std::vector<double> clock;
    double processors = processor_time();
    start = clock_time();
    while (clock.size() < 3 || (clock_time() - start < seconds() * 1e6 && clock.size() < 1000)) {
        before();
        double begun = clock_time();
        work();
        clock.push_back((clock_time() - begun) / repeats);
    }
    size_t runs = clock.size();
    processors = (processor_time() - processors) / (runs * repeats);
    std::sort(clock.begin(), clock.end());
    std::printf("%s %.5f %.5f %.5f %.12g\n", name, clock[0], clock[runs / 2], processors, sum);
    std::fflush(stdout);
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

// Numbers below `limit`.
template <class T = unsigned> std::vector<T> random_integers(size_t count, double limit, uint32_t seed) {
    std::vector<T> numbers(count);
    for (T &number : numbers) {
        seed = seed * 1664525u + 1013904223u;
        number = T(double(seed >> 8) / (1 << 24) * limit);
    }
    return numbers;
}

// A sum of numbers with random weights between -1 and 1: as large as a few of them, so that one wrong one shows, and so
// does one in the place of another.
template <class T> double checksum_of(const std::vector<T> &numbers) {
    double sum = 0;
    uint32_t seed = 1;
    for (const T &number : numbers) {
        seed = seed * 1664525u + 1013904223u;
        sum += double(number) * (double(seed >> 8) / (1 << 23) - 1);
    }
    return sum;
}
