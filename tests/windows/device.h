// The driver, a context, and memory of the device for the programs that call libraries above it.

#pragma once

#include "load.h"
#include <stdlib.h>

static HMODULE driver;

// Makes the first device's context current; ends the program where that fails.
static inline void start(void) {
  void *context = NULL;
  driver = library("nvcuda.dll");
  if (!driver) exit(3);
  int (*begin)(unsigned) = function(driver, "cuInit");
  int (*retain)(void **, int) = function(driver, "cuDevicePrimaryCtxRetain");
  int (*set_current)(void *) = function(driver, "cuCtxSetCurrent");
  if (begin(0) || retain(&context, 0) || set_current(context)) exit(5);
}

// Memory of the device, which has what `from` has, or anything where that is null.
static inline void *device(const void *from, size_t bytes) {
  unsigned long long memory = 0;
  int (*allocate)(unsigned long long *, size_t) = function(driver, "cuMemAlloc_v2");
  int (*copy)(unsigned long long, const void *, size_t) = function(driver, "cuMemcpyHtoD_v2");
  if (allocate(&memory, bytes) || (from && copy(memory, from, bytes))) exit(6);
  return (void *)memory;
}

static inline void to_host(void *to, const void *from, size_t bytes) {
  int (*copy)(void *, unsigned long long, size_t) = function(driver, "cuMemcpyDtoH_v2");
  if (copy(to, (unsigned long long)from, bytes)) exit(7);
}
