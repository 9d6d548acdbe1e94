// What the Driver API samples need: checked calls and failures with their place.
#pragma once

#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>

#define FAIL(...)                                                                                            \
    do {                                                                                                     \
        printf("FAIL %s:%d: ", __FILE__, __LINE__);                                                          \
        printf(__VA_ARGS__);                                                                                 \
        printf("\n");                                                                                        \
        exit(1);                                                                                             \
    } while (0)

#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) FAIL("not so: %s", #condition);                                                    \
    } while (0)

#define CUDA(call)                                                                                           \
    do {                                                                                                     \
        CUresult result_ = (call);                                                                           \
        if (result_ != CUDA_SUCCESS) FAIL("%s: error %d", #call, (int)result_);                              \
    } while (0)

static inline int pass(const char *name) {
    printf("PASS %s\n", name);
    return 0;
}
