/* What the engine and kernels agree on, as cpu_abi/src/lib.rs has it. */
#include <stddef.h>
#include <stdint.h>

struct runtime;

struct block {
    const uint8_t *params;
    uint8_t *shared;
    const struct runtime *runtime;
    uint32_t ntid[3], nctaid[3], ctaid[3];
    uint32_t dynamic_shared_size, total_shared_size, warps, smid, nsmid;
    uint32_t cluster[3], explicit_cluster;
    uint8_t *cluster_shared;
    uint64_t grid_id;
    void *engine;
};

struct thread {
    uint32_t tid[3], lane, warp, reserved;
    void *engine;
};

struct group {
    uint32_t lanes, others, parted;
};

struct runtime {
    void (*barrier_sync)(const struct block *, uint32_t warp, uint32_t mask, uint32_t id, uint32_t threads);
    void (*barrier_arrive)(const struct block *, uint32_t warp, uint32_t mask, uint32_t id, uint32_t threads);
    uint32_t (*barrier_reduce)(const struct block *, uint32_t warp, uint32_t mask, uint32_t id, uint32_t threads,
                               uint32_t reduction, uint32_t predicates);
    void (*yield_now)(const struct block *, uint32_t warp, uint32_t nanoseconds);
    int32_t (*vprintf)(const struct block *, const char *format, const void *arguments);
    void *(*malloc)(const struct block *, uint64_t size, uint64_t alignment);
    void (*free)(const struct block *, void *pointer);
    void (*assert_fail)(const struct block *, uint32_t warp, uint32_t lane, uint32_t mask, const char *message, const char *file,
                        uint32_t line, const char *function, uint64_t char_size);
    void (*trap)(const struct block *, uint32_t warp, uint32_t mask);
    uint64_t (*global_timer)(const struct block *);
    void (*matrix)(const struct block *, uint32_t warp, uint32_t mask, uint64_t operation, uint32_t (*rows)[32],
                   const uint16_t *places);
    double (*fma)(double, double, double);
    uint64_t (*lane_operation)(const struct block *, uint32_t operation, const uint64_t *arguments);
    void (*cluster_barrier)(const struct block *, uint32_t warp, uint32_t mask, uint32_t waits);
    void (*texture)(const struct block *, uint32_t warp, uint32_t mask, uint64_t operation, uint32_t lanes,
                    uint32_t *words);
    void (*part)(const struct block *, uint32_t warp, uint32_t mask, struct group *group);
    void (*meet)(const struct block *, uint32_t warp, uint32_t mask, struct group *group, uint32_t operation,
                 uint32_t (*rows)[32]);
    void (*spin)(const struct block *, uint32_t warp, uint32_t mask, struct group *group);
    void (*end_group)(const struct block *, uint32_t warp, struct group *group);
    const void *reserved[1];
    uint64_t (*shuffle)(const struct thread *, uint32_t kind, uint32_t value, uint32_t b, uint32_t c, uint32_t mask);
    uint64_t (*warp_operation)(const struct thread *, uint32_t kind, uint64_t value, uint32_t mask);
};

struct descriptor {
    uint32_t magic, abi_version, kind, flags;
    const void *entry;
    uint32_t param_size, static_shared_size, local_size, max_threads_per_block, frame_size;
};

enum { VECTOR = 0, REFERENCE = 1 };
enum { WAITS = 1, ROW_WARPS = 2 };
enum { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };
enum {
    SYNC, ACTIVE_MASK, VOTE_ALL, VOTE_ANY, VOTE_UNI, BALLOT, MATCH_ANY_32, MATCH_ANY_64, MATCH_ALL_32, MATCH_ALL_64,
    REDUX_ADD, REDUX_MIN_S, REDUX_MAX_S, REDUX_MIN_U, REDUX_MAX_U, REDUX_AND, REDUX_OR, REDUX_XOR, ELECT
};

#define DESCRIBE(NAME, KIND, FLAGS, PARAMS, SHARED, LOCAL, THREADS)                                                   \
    const struct descriptor NAME##_descriptor __asm__(#NAME ".kd") = {0x5a4c4344, ABI_VERSION, KIND, FLAGS,            \
                                                                      (const void *)NAME, PARAMS, SHARED, LOCAL, THREADS, 0};

/* A kernel that runs warps first to last; `p` points to its parameters. */
#define VECTOR_KERNEL(NAME, FLAGS, PARAMS, SHARED)                                                                    \
    static void NAME(const struct block *b, uint32_t first, uint32_t last);                                           \
    DESCRIBE(NAME, VECTOR, FLAGS, PARAMS, SHARED, 0, 1024)                                                            \
    static void NAME(const struct block *b, uint32_t first, uint32_t last)

/* A kernel that runs one thread. */
#define THREAD_KERNEL(NAME, PARAMS, SHARED)                                                                           \
    static void NAME(const struct block *b, const struct thread *t);                                                  \
    DESCRIBE(NAME, REFERENCE, 0, PARAMS, SHARED, 0, 1024)                                                             \
    static void NAME(const struct block *b, const struct thread *t)

/* The i-th 8-byte parameter. */
#define PARAM(TYPE, I) (*(TYPE *)(b->params + 8 * (I)))

/* The number of a lane's thread in the block, and whether there is one. */
#define THREAD(WARP, LANE) ((WARP) * 32 + (LANE))
#define THREADS (b->ntid[0] * b->ntid[1] * b->ntid[2])
#define EACH_LANE(W, L)                                                                                               \
    for (uint32_t W = first; W < last; W++)                                                                           \
        for (uint32_t L = 0; L < 32 && THREAD(W, L) < THREADS; L++)
