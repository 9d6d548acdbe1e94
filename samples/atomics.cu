// Every atomic function on global and shared memory, 32 and 64 bits, and loops around atomicCAS.
// sample: machine_code = atomics of global and shared memory
#include "sample.h"

#include <algorithm>

struct Results {
    int sum, difference, minimum, maximum, conjunction, disjunction, parity, exchanged;
    unsigned wrapped_up, wrapped_down, unsigned_minimum, unsigned_maximum;
    unsigned long long long_sum, long_maximum, long_or, long_product;
    float float_sum;
    double double_sum;
};

// Results start as given; thread i contributes values[i].
__device__ void contribute(Results *r, int value, int i) {
    atomicAdd(&r->sum, value);
    atomicSub(&r->difference, value);
    atomicMin(&r->minimum, value);
    atomicMax(&r->maximum, value);
    atomicAnd(&r->conjunction, value | 0x70f);
    atomicOr(&r->disjunction, value & 0xff0);
    atomicXor(&r->parity, value);
    atomicExch(&r->exchanged, 77);
    atomicInc(&r->wrapped_up, 6);
    atomicDec(&r->wrapped_down, 9);
    atomicMin(&r->unsigned_minimum, unsigned(value));
    atomicMax(&r->unsigned_maximum, unsigned(value));
    atomicAdd(&r->long_sum, (unsigned long long)value << 20);
    atomicMax(&r->long_maximum, (unsigned long long)i << 35);
    atomicOr(&r->long_or, 1ull << (i % 64));
    // Whole numbers: exact in any order.
    atomicAdd(&r->float_sum, float(value % 16));
    atomicAdd(&r->double_sum, double(value));
    // A product modulo 2^64 commutes.
    unsigned long long seen = r->long_product, wanted;
    do {
        wanted = seen;
        seen = atomicCAS(&r->long_product, wanted, wanted * (2 * i + 1));
    } while (seen != wanted);
}

__global__ void on_global(const int *values, int count, Results *results) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) contribute(results, values[i], i);
}

__global__ void on_shared(const int *values, int count, Results *results) {
    __shared__ Results mine;
    if (threadIdx.x == 0) mine = *results;
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) contribute(&mine, values[i], i);
    __syncthreads();
    if (threadIdx.x == 0) *results = mine;
}

// The old values of atomicAdd are tickets: each is given once.
__global__ void take_tickets(unsigned *counter, unsigned *tickets) {
    tickets[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter, 1);
}

void check(const char *where, const Results &got, const Results &expected) {
    auto same = [where](const char *what, auto a, auto b) {
        if (a != b) fail("%s: %s: got %.17g, expected %.17g", where, what, double(a), double(b));
    };
    same("sum", got.sum, expected.sum);
    same("difference", got.difference, expected.difference);
    same("minimum", got.minimum, expected.minimum);
    same("maximum", got.maximum, expected.maximum);
    same("and", got.conjunction, expected.conjunction);
    same("or", got.disjunction, expected.disjunction);
    same("xor", got.parity, expected.parity);
    same("exchange", got.exchanged, expected.exchanged);
    same("inc", got.wrapped_up, expected.wrapped_up);
    same("dec", got.wrapped_down, expected.wrapped_down);
    same("unsigned minimum", got.unsigned_minimum, expected.unsigned_minimum);
    same("unsigned maximum", got.unsigned_maximum, expected.unsigned_maximum);
    same("64-bit sum", got.long_sum, expected.long_sum);
    same("64-bit maximum", got.long_maximum, expected.long_maximum);
    same("64-bit or", got.long_or, expected.long_or);
    same("64-bit product", got.long_product, expected.long_product);
    same("float sum", got.float_sum, expected.float_sum);
    same("double sum", got.double_sum, expected.double_sum);
}

int main() {
    const int count = 300;
    Random random(8);
    auto values = random.numbers<int>(count, -100000, 100000);
    Results start = {};
    start.conjunction = -1;
    start.unsigned_minimum = 0xffffffff;
    start.wrapped_down = 5;
    start.long_product = 1;

    Results expected = start;
    for (int i = 0; i < count; ++i) {
        int value = values[i];
        expected.sum += value;
        expected.difference -= value;
        expected.minimum = std::min(expected.minimum, value);
        expected.maximum = std::max(expected.maximum, value);
        expected.conjunction &= value | 0x70f;
        expected.disjunction |= value & 0xff0;
        expected.parity ^= value;
        expected.exchanged = 77;
        expected.wrapped_up = expected.wrapped_up >= 6 ? 0 : expected.wrapped_up + 1;
        expected.wrapped_down =
            expected.wrapped_down == 0 || expected.wrapped_down > 9 ? 9 : expected.wrapped_down - 1;
        expected.unsigned_minimum = std::min(expected.unsigned_minimum, unsigned(value));
        expected.unsigned_maximum = std::max(expected.unsigned_maximum, unsigned(value));
        expected.long_sum += (unsigned long long)value << 20;
        expected.long_maximum = std::max(expected.long_maximum, (unsigned long long)i << 35);
        expected.long_or |= 1ull << (i % 64);
        expected.long_product *= 2 * i + 1;
        expected.float_sum += float(value % 16);
        expected.double_sum += value;
    }

    DeviceArray<int> device_values(values);
    DeviceArray<Results> results(std::vector<Results>{start});
    on_global<<<5, 64>>>(device_values.get(), count, results.get());
    CUDA_FINISH();
    check("global", results.to_host()[0], expected);

    results.copy_from({start});
    on_shared<<<1, 96>>>(device_values.get(), count, results.get());
    CUDA_FINISH();
    check("shared", results.to_host()[0], expected);

    DeviceArray<unsigned> counter(1), tickets(640);
    counter.fill_bytes(0);
    take_tickets<<<10, 64>>>(counter.get(), tickets.get());
    CUDA_FINISH();
    auto taken = tickets.to_host();
    std::sort(taken.begin(), taken.end());
    std::vector<unsigned> all(640);
    for (unsigned i = 0; i < 640; ++i) all[i] = i;
    expect_equal("tickets", taken, all);
    return pass("atomics");
}
