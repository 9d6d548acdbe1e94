// What every sample needs: checked calls, device arrays, made-up inputs, and the comparison of results.
//
// A sample ends with `return pass("its name");`. Every failure prints one line that begins with FAIL and
// exits with 1. Lines of the form `name hash` let two runs be compared bit by bit.
#pragma once

#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

[[noreturn]] inline void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::fputs("FAIL ", stdout);
    std::vprintf(format, arguments);
    std::fputs("\n", stdout);
    va_end(arguments);
    std::exit(1);
}

inline int pass(const char *name) {
    std::printf("PASS %s\n", name);
    return 0;
}

inline void check_cuda(cudaError_t error, const char *call, const char *file, int line) {
    if (error != cudaSuccess)
        fail("%s:%d: %s: %d %s: %s", file, line, call, int(error), cudaGetErrorName(error),
             cudaGetErrorString(error));
}

#define CUDA(call) check_cuda(call, #call, __FILE__, __LINE__)

// After a <<<>>> launch: the launch was accepted, and the kernel ended well.
#define CUDA_FINISH()                                                                                        \
    do {                                                                                                     \
        CUDA(cudaGetLastError());                                                                            \
        CUDA(cudaDeviceSynchronize());                                                                       \
    } while (0)

// Whether blocks can be launched in clusters of several.
inline bool has_clusters() {
    int clusters = 0;
    CUDA(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, 0));
    return clusters != 0;
}

// The first program argument as a size, or the sample's own choice.
inline int size_argument(int argc, char **argv, int otherwise) {
    int size = argc > 1 ? std::atoi(argv[1]) : otherwise;
    if (size <= 0) fail("the size must be positive: %s", argv[1]);
    return size;
}

// An array in device memory.
template <class T> class DeviceArray {
  public:
    explicit DeviceArray(size_t count) : count_(count) { CUDA(cudaMalloc(&data_, count * sizeof(T))); }
    explicit DeviceArray(const std::vector<T> &host) : DeviceArray(host.size()) { copy_from(host); }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;

    void copy_from(const std::vector<T> &host) {
        CUDA(cudaMemcpy(data_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> to_host() const {
        std::vector<T> host(count_);
        CUDA(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
    void fill_bytes(int value) { CUDA(cudaMemset(data_, value, count_ * sizeof(T))); }
    T *get() const { return data_; }
    size_t size() const { return count_; }

  private:
    T *data_ = nullptr;
    size_t count_;
};

// Reproducible numbers (splitmix64).
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    // In [low, high).
    double between(double low, double high) {
        return low + (high - low) * double(next() >> 11) / double(uint64_t(1) << 53);
    }
    template <class T> std::vector<T> numbers(size_t count, double low, double high) {
        std::vector<T> result(count);
        for (T &value : result) value = T(between(low, high));
        return result;
    }

  private:
    uint64_t state_;
};

template <class T> void print_value(const char *text, T value) {
    if constexpr (std::is_floating_point_v<T>)
        std::printf("%s%.17g", text, double(value));
    else if constexpr (std::is_signed_v<T>)
        std::printf("%s%lld", text, (long long)value);
    else
        std::printf("%s%llu (0x%llx)", text, (unsigned long long)value, (unsigned long long)value);
}

template <class T>
[[noreturn]] void fail_at(const char *what, size_t index, T got, T expected, const char *why) {
    std::printf("FAIL %s: first mismatch at [%zu]:", what, index);
    print_value(" got ", got);
    print_value(", expected ", expected);
    std::printf("%s\n", why);
    std::exit(1);
}

template <class T> void expect_equal(const char *what, T got, T expected) {
    if (got != expected) fail_at(what, 0, got, expected, "");
}

template <class T>
void expect_equal(const char *what, const std::vector<T> &got, const std::vector<T> &expected) {
    if (got.size() != expected.size()) fail("%s: %zu values for %zu", what, got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
        if (got[i] != expected[i]) fail_at(what, i, got[i], expected[i], "");
}

// |got - expected| <= tolerance * max(1, |expected|); infinities and NaNs must be the same.
template <class T>
void expect_near(const char *what, const std::vector<T> &got, const std::vector<T> &expected,
                 double tolerance) {
    if (got.size() != expected.size()) fail("%s: %zu values for %zu", what, got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
        double a = double(got[i]), b = double(expected[i]);
        bool near = std::isfinite(a) && std::isfinite(b)
                        ? std::fabs(a - b) <= tolerance * std::fmax(1.0, std::fabs(b))
                        : a == b || (std::isnan(a) && std::isnan(b));
        if (!near) fail_at(what, i, got[i], expected[i], " (beyond the tolerance)");
    }
}

// Prints a hash (FNV-1a) of the bytes of a result, for the comparison of runs.
template <class T> void print_hash(const char *what, const std::vector<T> &values) {
    static_assert(std::is_trivially_copyable_v<T>);
    uint64_t hash = 0xcbf29ce484222325;
    auto bytes = reinterpret_cast<const unsigned char *>(values.data());
    for (size_t i = 0; i < values.size() * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
    std::printf("%s %016llx\n", what, (unsigned long long)hash);
}
