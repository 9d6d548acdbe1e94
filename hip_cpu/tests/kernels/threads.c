#include "kernel.h"

#define TID (t->tid[0] + b->ntid[0] * (t->tid[1] + b->ntid[1] * t->tid[2]))

/* A sum over the block: shuffles within warps, then shared memory and a barrier. */
THREAD_KERNEL(block_sum, 16, 128) {
    const uint32_t *in = PARAM(const uint32_t *, 0);
    uint32_t *out = PARAM(uint32_t *, 1);
    uint32_t *partial = (uint32_t *)b->shared;
    uint32_t value = in[b->ctaid[0] * b->ntid[0] + TID];
    for (int d = 16; d; d /= 2)
        value += (uint32_t)b->runtime->shuffle(t, SHFL_DOWN, value, d, 0x1f, -1u);
    if (t->lane == 0)
        partial[t->warp] = value;
    b->runtime->barrier_sync(b, t->warp, 1u << t->lane, 0, 0);
    if (TID == 0) {
        uint32_t sum = 0;
        for (uint32_t w = 0; w < b->warps; w++)
            sum += partial[w];
        out[b->ctaid[0]] = sum;
    }
}

/* out[lane + 32 * k] = shuffle of kind k, and the predicate in bit 31. */
THREAD_KERNEL(shuffles, 8, 0) {
    uint32_t *out = PARAM(uint32_t *, 0);
    static const uint32_t c[4] = {0, 0x1f, 0x181f, 0x1c1f};
    static const uint32_t s[4] = {3, 5, 6, 2};
    for (int k = 0; k < 4; k++) {
        uint64_t r = b->runtime->shuffle(t, k, t->lane * 10, s[k], c[k], -1u);
        out[t->lane + 32 * k] = (uint32_t)r | (uint32_t)(r >> 32) << 31;
    }
}

/* Every warp operation, of the first 20 lanes: the others have ended. */
THREAD_KERNEL(operations, 8, 0) {
    uint64_t *out = PARAM(uint64_t *, 0);
    if (t->lane >= 20)
        return;
    for (int k = 0; k < 19; k++)
        if (k != ACTIVE_MASK) {
            uint64_t value = k >= MATCH_ANY_32 && k <= MATCH_ANY_64 ? t->lane % 3
                             : k == MATCH_ALL_64                    ? 1ull << 40
                             : k == MATCH_ALL_32                    ? t->lane / 19
                             : k == VOTE_ALL                        ? 1
                                                                    : (t->lane & 1) + (k >= REDUX_ADD) * (t->lane - 5u);
            out[t->lane + 32 * k] = b->runtime->warp_operation(t, k, value, -1u);
        }
}

/* Halves of a warp that vote apart, and a mask of who is there. */
THREAD_KERNEL(apart, 8, 0) {
    uint32_t *out = PARAM(uint32_t *, 0);
    uint32_t half = t->lane < 12 ? 0x00000fff : 0xfffff000;
    uint32_t active;
    if (t->lane < 12)
        active = b->runtime->warp_operation(t, ACTIVE_MASK, 1, 0);
    else
        active = b->runtime->warp_operation(t, ACTIVE_MASK, 2, 0);
    out[t->lane] = active;
    out[t->lane + 32] = b->runtime->warp_operation(t, BALLOT, t->lane % 4 == 0, half);
    /* The whole warp again. */
    out[t->lane + 64] = b->runtime->warp_operation(t, REDUX_ADD, 1, -1u);
}

/* A lock that every thread of a warp takes in turn: needs threads that make progress by themselves. */
THREAD_KERNEL(lock, 16, 0) {
    volatile uint32_t *mutex = PARAM(uint32_t *, 0);
    uint32_t *count = PARAM(uint32_t *, 1);
    while (__atomic_exchange_n(mutex, 1, __ATOMIC_ACQUIRE))
        b->runtime->yield_now(b, t->warp, 0);
    uint32_t value = *count;
    b->runtime->yield_now(b, t->warp, 0);
    *count = value + 1;
    __atomic_store_n(mutex, 0, __ATOMIC_RELEASE);
}

/* Barriers in both arms of a branch, and threads that leave early. */
THREAD_KERNEL(divergent_barrier, 8, 4096) {
    uint32_t *out = PARAM(uint32_t *, 0);
    uint32_t *shared = (uint32_t *)b->shared;
    if (TID >= 50)
        return;
    shared[TID] = TID;
    if (TID % 2)
        b->runtime->barrier_sync(b, t->warp, 1u << t->lane, 0, 0);
    else
        b->runtime->barrier_sync(b, t->warp, 1u << t->lane, 0, 0);
    out[TID] = shared[49 - TID];
    out[64 + TID] = b->runtime->barrier_reduce(b, t->warp, 1u << t->lane, 2, 0, 0, (TID % 5 == 0) << t->lane);
}

/* All blocks meet once. */
THREAD_KERNEL(threads_grid_barrier, 8, 0) {
    volatile uint32_t *counter = PARAM(uint32_t *, 0);
    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    while (*counter < b->nctaid[0] * b->ntid[0])
        b->runtime->yield_now(b, t->warp, 0);
}

/* Every thread sleeps: out[thread] = nanoseconds. */
THREAD_KERNEL(threads_sleep, 16, 0) {
    uint64_t *out = PARAM(uint64_t *, 0);
    uint64_t begun = b->runtime->global_timer(b);
    b->runtime->yield_now(b, t->warp, PARAM(uint32_t, 1));
    out[TID] = b->runtime->global_timer(b) - begun;
}
