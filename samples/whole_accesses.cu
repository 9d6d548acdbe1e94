// Accesses of 4 to 16 bytes a thread by vectors of registers: one access each, so that no thread ever sees half of what
// another one stores. Blocks in pairs: the first stores numbered records, the second one reads them all the while.
#include "sample.h"

constexpr int THREADS = 64, PAIRS = 2, SLOTS = 256;
constexpr unsigned ROUNDS = 3000;

// Each word says the number of its record.
struct Record {
    unsigned words[4];
};

__device__ unsigned word_of(unsigned round, int index) { return round * (2 * index + 1) ^ index << 28; }

#define STORE_V2(order) \
    asm volatile("st." order "v2.u32 [%0], {%1, %2};" ::"l"(at), "r"(r.words[0]), "r"(r.words[1]) : "memory")
#define LOAD_V2(order) \
    asm volatile("ld." order "v2.u32 {%0, %1}, [%2];" : "=r"(r.words[0]), "=r"(r.words[1]) : "l"(at) : "memory")
#define STORE_V4(order)                                                                                      \
    asm volatile("st." order "v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(r.words[0]), "r"(r.words[1]),   \
                 "r"(r.words[2]), "r"(r.words[3])                                                            \
                 : "memory")
#define LOAD_V4(order)                                                                                       \
    asm volatile("ld." order "v4.u32 {%0, %1, %2, %3}, [%4];"                                                \
                 : "=r"(r.words[0]), "=r"(r.words[1]), "=r"(r.words[2]), "=r"(r.words[3])                    \
                 : "l"(at)                                                                                   \
                 : "memory")
#define STORE_LONGS(order) \
    asm volatile("st." order "v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(r.longs[0]), "l"(r.longs[1]) : "memory")
#define LOAD_LONGS(order) \
    asm volatile("ld." order "v2.u64 {%0, %1}, [%2];" : "=l"(r.longs[0]), "=l"(r.longs[1]) : "l"(at) : "memory")

enum Form { PLAIN2, RELAXED2, PLAIN4, VOLATILE4, RELAXED4, ORDERED4, LONGS, ORDERED_LONGS, HALVES, BYTES };
enum Layout { ROW, BACKWARDS, SCATTERED, ODD };

union Bits {
    unsigned words[4];
    unsigned long long longs[2];
};

template <Form form> __device__ int words() {
    return form == HALVES || form == BYTES ? 1 : form == PLAIN2 || form == RELAXED2 ? 2 : 4;
}

template <Form form> __device__ void store(Record *at, const Bits &r) {
    if (form == PLAIN2) STORE_V2("global.");
    if (form == RELAXED2) STORE_V2("relaxed.gpu.global.");
    if (form == PLAIN4) STORE_V4("global.");
    if (form == VOLATILE4) STORE_V4("volatile.global.");
    if (form == RELAXED4) STORE_V4("relaxed.gpu.global.");
    if (form == ORDERED4) STORE_V4("release.gpu.global.");
    if (form == LONGS) STORE_LONGS("global.");
    if (form == ORDERED_LONGS) STORE_LONGS("release.gpu.global.");
    unsigned low = r.words[0] & 0xffff, high = r.words[0] >> 16;
    if (form == HALVES)
        asm volatile("{.reg .b16 a, b; cvt.u16.u32 a, %1; cvt.u16.u32 b, %2;"
                     " st.relaxed.gpu.global.v2.b16 [%0], {a, b};}" ::"l"(at), "r"(low), "r"(high) : "memory");
    if (form == BYTES)
        asm volatile("st.volatile.global.v4.u8 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(low & 255), "r"(low >> 8),
                     "r"(high & 255), "r"(high >> 8)
                     : "memory");
}

template <Form form> __device__ Bits load(const Record *at) {
    Bits r;
    if (form == PLAIN2) LOAD_V2("global.");
    if (form == RELAXED2) LOAD_V2("relaxed.gpu.global.");
    if (form == PLAIN4) LOAD_V4("global.");
    if (form == VOLATILE4) LOAD_V4("volatile.global.");
    if (form == RELAXED4) LOAD_V4("relaxed.gpu.global.");
    if (form == ORDERED4) LOAD_V4("acquire.gpu.global.");
    if (form == LONGS) LOAD_LONGS("global.");
    if (form == ORDERED_LONGS) LOAD_LONGS("acquire.gpu.global.");
    if (form == HALVES)
        asm volatile("{.reg .b16 a, b; ld.relaxed.gpu.global.v2.b16 {a, b}, [%1]; mov.b32 %0, {a, b};}"
                     : "=r"(r.words[0])
                     : "l"(at)
                     : "memory");
    if (form == BYTES) {
        unsigned a, b, c, d;
        asm volatile("ld.volatile.global.v4.u8 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(at)
                     : "memory");
        r.words[0] = a | b << 8 | c << 16 | d << 24;
    }
    return r;
}

template <Layout layout> __device__ int slot_of(int thread) {
    if (layout == BACKWARDS) return THREADS - 1 - thread;
    if (layout == SCATTERED) return thread * 37 % 256;
    return thread;
}

template <Form form, Layout layout>
__global__ void exchange(Record *slots, volatile unsigned *ended, unsigned *torn, unsigned *unseen) {
    int thread = threadIdx.x;
    if (layout == ODD && thread % 2 == 0) return;
    int at = blockIdx.x / 2 * SLOTS + slot_of<layout>(thread);
    Record *slot = slots + at;
    if (blockIdx.x % 2 == 0) {
        for (unsigned round = 1; round <= ROUNDS; ++round) {
            Bits record;
            for (int i = 0; i < 4; ++i) record.words[i] = word_of(round, i);
            // All four bytes of a word change at once.
            if (words<form>() == 1) record.words[0] = round % 251 * 0x01010101u;
            store<form>(slot, record);
            if (form == PLAIN2 || form == PLAIN4 || form == LONGS) __threadfence();
        }
        __threadfence();
        ended[at] = 1;
        return;
    }
    unsigned last = words<form>() == 1 ? ROUNDS % 251 * 0x01010101u : word_of(ROUNDS, 0);
    for (bool at_end = false; !at_end;) {
        // Whoever saw the end sees the last record: a count of reads would measure how the writer is scheduled.
        at_end = ended[at];
        if (at_end || form == PLAIN2 || form == PLAIN4 || form == LONGS) __threadfence();
        Bits record = load<form>(slot);
        unsigned round = record.words[0];
        bool whole = true;
        if (words<form>() == 1) whole = round == (round & 255) * 0x01010101u;
        for (int i = 1; i < words<form>(); ++i) whole &= record.words[i] == (round ? word_of(round, i) : 0);
        if (!whole) atomicAdd(torn, 1);
        if (at_end && round != last) atomicAdd(unseen, 1);
    }
}

template <Form form, Layout layout> void test(const char *form_name, const char *layout_name) {
    DeviceArray<Record> slots(PAIRS * SLOTS);
    DeviceArray<unsigned> ended(PAIRS * SLOTS), counts(2);
    slots.fill_bytes(0);
    ended.fill_bytes(0);
    counts.fill_bytes(0);
    exchange<form, layout><<<2 * PAIRS, THREADS>>>(slots.get(), ended.get(), counts.get(), counts.get() + 1);
    CUDA_FINISH();
    auto found = counts.to_host();
    if (found[0]) fail("%s, %s: %u records were torn", form_name, layout_name, found[0]);
    if (found[1]) fail("%s, %s: %u threads never saw the last record", form_name, layout_name, found[1]);
}

template <Form form> void test_layouts(const char *name) {
    test<form, ROW>(name, "side by side");
    test<form, BACKWARDS>(name, "backwards");
    test<form, SCATTERED>(name, "scattered");
    test<form, ODD>(name, "odd threads");
}

int main() {
    test_layouts<PLAIN2>("v2.u32");
    test_layouts<RELAXED2>("relaxed.v2.u32");
    test_layouts<PLAIN4>("v4.u32");
    test_layouts<VOLATILE4>("volatile.v4.u32");
    test_layouts<RELAXED4>("relaxed.v4.u32");
    test_layouts<ORDERED4>("acquire and release.v4.u32");
    test_layouts<LONGS>("v2.u64");
    test_layouts<ORDERED_LONGS>("acquire and release.v2.u64");
    test_layouts<HALVES>("relaxed.v2.b16");
    test_layouts<BYTES>("volatile.v4.u8");
    return pass("whole_accesses");
}
