// Comes before everything in a CUDA program: mingw's functions in C, and those that it lacks and CUDA's headers name.

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern "C" int timespec_get(struct timespec *time, int base);
extern "C" void *aligned_alloc(size_t alignment, size_t size);
