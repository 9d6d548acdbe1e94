#include "kernel.h"

VECTOR_KERNEL(reads_null, 0, 0, 0) {
    *(volatile int *)8 = 1;
}

/* Writes one byte at an address. */
VECTOR_KERNEL(writes_at, 0, 8, 0) {
    *PARAM(volatile uint8_t *, 0) = 1;
}

static int dive(volatile char *above) {
    volatile char frame[512];
    frame[0] = *above;
    return dive(frame) + frame[0];
}

VECTOR_KERNEL(overflows, 0, 0, 0) {
    char c = 0;
    dive(&c);
}

VECTOR_KERNEL(overflows_in_warp, WAITS, 0, 0) {
    char c = 0;
    b->runtime->barrier_sync(b, first, -1u, 0, 0);
    if (first == 1)
        dive(&c);
    b->runtime->barrier_sync(b, first, -1u, 0, 0);
}

VECTOR_KERNEL(divides, 0, 0, 0) {
    volatile int seven = 7, zero = 0;
    volatile int result = seven / zero;
    (void)result;
}

VECTOR_KERNEL(is_illegal, 0, 0, 0) {
    __asm__ volatile("ud2");
}

VECTOR_KERNEL(traps, WAITS, 0, 0) {
    b->runtime->barrier_sync(b, first, -1u, 0, 0);
    if (b->ctaid[0] == 3 && first == 1)
        b->runtime->trap(b, first, 1);
    /* Nobody comes here in block 3. */
    b->runtime->barrier_sync(b, first, -1u, 0, 0);
}

/* Two lanes of a warp. */
VECTOR_KERNEL(asserts, 0, 0, 0) {
    const uint32_t mask = 1 << 5 | 1 << 9;
    if (b->ctaid[0] == 2) {
        b->runtime->assert_fail(b, 1, 5, mask, "x > 0", "some.cu", 17, "void kernel(int)", 1);
        b->runtime->assert_fail(b, 1, 9, mask, "x > 0", "some.cu", 17, "void kernel(int)", 1);
        __builtin_trap();
    }
}

/* Warp 0 waits for a barrier that warp 1 never comes to, because it waits for another. */
VECTOR_KERNEL(deadlocks, WAITS, 0, 0) {
    b->runtime->barrier_sync(b, first, -1u, first, 64);
}

VECTOR_KERNEL(prints_nonsense, 0, 0, 0) {
    const char *bad[1] = {(const char *)16};
    b->runtime->vprintf(b, "%s\n", bad);
}

VECTOR_KERNEL(frees_nonsense, 0, 0, 0) {
    b->runtime->free(b, (void *)b);
}

VECTOR_KERNEL(fine, 0, 8, 0) {
    *PARAM(uint32_t *, 0) = 7;
}

/* Spins forever, unless the launch has failed elsewhere. */
VECTOR_KERNEL(one_faults_others_spin, WAITS, 0, 0) {
    if (b->ctaid[0] == 1)
        *(volatile int *)16 = 1;
    for (;;)
        b->runtime->yield_now(b, first, 0);
}

THREAD_KERNEL(thread_overflows, 0, 0) {
    char c = 0;
    if (t->tid[0] == 40)
        dive(&c);
}

/* More stack for each thread than there are addresses for. */
static void needs_too_much(const struct block *b, uint32_t first, uint32_t last);
DESCRIBE(needs_too_much, VECTOR, 0, 0, 0, 0xffffffff, 1024)
static void needs_too_much(const struct block *b, uint32_t first, uint32_t last) {}

/* Stacks for half of the threads of a block, which wait for the others. */
static void half_have_stacks(const struct block *b, const struct thread *t);
DESCRIBE(half_have_stacks, REFERENCE, 0, 0, 0, 0x30000000, 1024)
static void half_have_stacks(const struct block *b, const struct thread *t) {
    b->runtime->barrier_sync(b, t->warp, 1u << t->lane, 0, 0);
}
