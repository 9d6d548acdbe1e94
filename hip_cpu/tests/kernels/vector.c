#include "kernel.h"

/* y[i] = a * x[i] + y[i] */
VECTOR_KERNEL(saxpy, 0, 32, 0) {
    float a = PARAM(float, 0);
    const float *x = PARAM(const float *, 1);
    float *y = PARAM(float *, 2);
    uint64_t n = PARAM(uint64_t, 3);
    EACH_LANE(w, l) {
        uint64_t i = (uint64_t)b->ctaid[0] * b->ntid[0] + THREAD(w, l);
        if (i < n)
            y[i] = a * x[i] + y[i];
    }
}

VECTOR_KERNEL(empty, 0, 0, 0) {
}

/* out[block] = ctaid.x + 100 ctaid.y + 10000 ctaid.z; order[k] = number of the block that started as k-th */
VECTOR_KERNEL(places, 0, 24, 0) {
    uint32_t *out = PARAM(uint32_t *, 0);
    uint32_t *order = PARAM(uint32_t *, 1);
    uint32_t *counter = PARAM(uint32_t *, 2);
    uint32_t n = (b->ctaid[2] * b->nctaid[1] + b->ctaid[1]) * b->nctaid[0] + b->ctaid[0];
    order[__atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST)] = n;
    out[n] = b->ctaid[0] + 100 * b->ctaid[1] + 10000 * b->ctaid[2];
}

/* Reverses each block's part through shared memory, with two barriers. */
VECTOR_KERNEL(reverse, WAITS, 8, 4096) {
    uint32_t *data = PARAM(uint32_t *, 0) + (uint64_t)b->ctaid[0] * THREADS;
    uint32_t *shared = (uint32_t *)b->shared;
    EACH_LANE(w, l) shared[THREAD(w, l)] = data[THREAD(w, l)];
    b->runtime->barrier_sync(b, first, -1u, 0, 0);
    EACH_LANE(w, l) data[THREAD(w, l)] = shared[THREADS - 1 - THREAD(w, l)] + 1;
    b->runtime->barrier_sync(b, first, -1u, 0, 0);
    EACH_LANE(w, l) shared[THREAD(w, l)] = 0xdead;
}

/* Warp w leaves after w barriers; the others must not wait for it. out[w] = what it counted. */
VECTOR_KERNEL(leave, WAITS, 8, 4096) {
    uint32_t *out = PARAM(uint32_t *, 0);
    uint32_t *arrived = (uint32_t *)b->shared;
    uint32_t seen = 0;
    if (first == 0)
        for (int i = 0; i < 64; i++)
            arrived[i] = 0;
    b->runtime->barrier_sync(b, first, -1u, 0, 0);
    for (uint32_t i = 0; i < first; i++) {
        arrived[i]++;
        b->runtime->barrier_sync(b, first, -1u, 0, 0);
        seen += arrived[i];
    }
    out[first] = seen;
}

/* Named barriers with counts, arrivals without waiting, reductions. */
VECTOR_KERNEL(named, WAITS, 8, 4096) {
    uint32_t *out = PARAM(uint32_t *, 0);
    uint32_t *shared = (uint32_t *)b->shared;
    if (first == 0) {
        /* A producer that does not wait. */
        shared[0] = 42;
        b->runtime->barrier_arrive(b, 0, -1u, 3, 64);
    } else if (first == 1) {
        b->runtime->barrier_sync(b, 1, -1u, 3, 64);
        out[0] = shared[0];
    }
    out[4 + first] = b->runtime->barrier_reduce(b, first, -1u, 1, 0, 0, 0xffu << first);
    out[8 + first] = b->runtime->barrier_reduce(b, first, -1u, 1, 0, 1, first == 2 ? 0x7fffffff : -1u);
    out[12 + first] = b->runtime->barrier_reduce(b, first, -1u, 1, 0, 2, first == 3 ? 1 : 0);
    out[16 + first] = b->runtime->barrier_reduce(b, first, -1u, 1, 0, 2, 0);
}

/* All blocks meet `rounds` times, as grid.sync does: a counter, and spinning. */
VECTOR_KERNEL(grid_barrier, WAITS, 24, 16) {
    volatile uint32_t *counter = PARAM(uint32_t *, 0);
    uint32_t *sums = PARAM(uint32_t *, 1);
    uint32_t rounds = PARAM(uint32_t, 2);
    for (uint32_t round = 0; round < rounds; round++) {
        if (first == 0)
            __atomic_fetch_add(&sums[round], 1, __ATOMIC_SEQ_CST);
        b->runtime->barrier_sync(b, first, -1u, 0, 0);
        if (first == 0) {
            __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
            while (*counter < b->nctaid[0] * (round + 1))
                b->runtime->yield_now(b, first, 0);
            /* Everybody must have been here before anybody goes on. */
            if (sums[round] != b->nctaid[0])
                b->runtime->trap(b, first, 1);
        }
        b->runtime->barrier_sync(b, first, -1u, 0, 0);
    }
}

/* Writes 3 in place of 0, spins until the host writes 1, then writes 2. */
VECTOR_KERNEL(wait_for_host, 0, 8, 0) {
    volatile uint32_t *flag = PARAM(uint32_t *, 0);
    uint32_t before = 0;
    __atomic_compare_exchange_n(flag, &before, 3, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    while (*flag != 1)
        b->runtime->yield_now(b, first, 100);
    *flag = 2;
}

/* *to += 1, slowly, without atomics: wrong unless launches come one after the other. */
VECTOR_KERNEL(increment_slowly, 0, 16, 0) {
    volatile uint32_t *to = PARAM(uint32_t *, 0);
    uint32_t value = *to;
    for (volatile uint32_t i = 0; i < PARAM(uint32_t, 1); i++)
        ;
    *to = value + 1;
}

/* out[0] = dynamic shared memory, out[1] = all, out[2] = low address?; touches all of it. */
VECTOR_KERNEL(shared_sizes, 0, 8, 1000) {
    uint32_t *out = PARAM(uint32_t *, 0);
    out[0] = b->dynamic_shared_size;
    out[1] = b->total_shared_size;
    out[2] = (uint64_t)b->shared + b->total_shared_size <= 0x100000000u && (uint64_t)b->shared % 1024 == 0;
    for (uint32_t i = 0; i < b->total_shared_size; i++)
        b->shared[i] = i;
}

VECTOR_KERNEL(prints, 0, 8, 0) {
    struct {
        int32_t block;
        double value;
        const char *text;
    } arguments = {b->ctaid[0], 0.5 + b->ctaid[0], "warp"};
    int32_t *out = PARAM(int32_t *, 0);
    out[0] = b->runtime->vprintf(b, "block %d: %.2f %s\n", &arguments);
    out[1] = b->runtime->vprintf(b, "bye\n", 0);
}

/* Allocates until there is nothing left; out[0] = how often, out[1] = again after a free. */
VECTOR_KERNEL(allocates, 0, 8, 0) {
    uint32_t *out = PARAM(uint32_t *, 0);
    void *newest = 0;
    uint32_t count = 0;
    for (void *p; (p = b->runtime->malloc(b, 1 << 16, 16)); count++) {
        for (int i = 0; i < 1 << 16; i++)
            ((volatile char *)p)[i] = 1;
        newest = p;
    }
    b->runtime->free(b, newest);
    out[0] = count;
    out[1] = b->runtime->malloc(b, 1 << 16, 16) == newest;
}

uint32_t variable[4] = {1, 2, 3, 4};

VECTOR_KERNEL(doubles_variable, 0, 0, 0) {
    for (int i = 0; i < 4; i++)
        variable[i] *= 2;
}

/* out[warp] = 1 if the float state was the default one at the start, and stays the warp's own. */
VECTOR_KERNEL(float_state, WAITS, 8, 0) {
    uint32_t *out = PARAM(uint32_t *, 0);
    uint32_t own = first % 2 ? 0x9fc0 : 0x1f80;
    uint32_t good = __builtin_ia32_stmxcsr() == 0x1f80;
    __builtin_ia32_ldmxcsr(own);
    for (int i = 0; i < 10; i++) {
        b->runtime->barrier_sync(b, first, -1u, 0, 0);
        good &= __builtin_ia32_stmxcsr() == own;
    }
    __builtin_ia32_ldmxcsr(0x1f80);
    out[first] = good;
}

/* The first warp of a block sleeps, the others count themselves: out[block] = nanoseconds, others[block] = how many others
   it has seen when it wakes. */
VECTOR_KERNEL(sleeps, WAITS, 24, 0) {
    uint64_t *out = PARAM(uint64_t *, 0);
    uint32_t *others = PARAM(uint32_t *, 1);
    uint32_t block = b->ctaid[0];
    for (uint32_t w = first; w < last; w++) {
        if (w != 0) {
            __atomic_fetch_add(&others[block], 1, __ATOMIC_SEQ_CST);
            continue;
        }
        uint64_t begun = b->runtime->global_timer(b);
        b->runtime->yield_now(b, w, PARAM(uint32_t, 2));
        out[block] = b->runtime->global_timer(b) - begun;
        others[block] = __atomic_load_n(&others[block], __ATOMIC_SEQ_CST) + 1000;
    }
}
