// NVIDIA's own runtime library, which its argument names, on the driver: all that needs no kernel.

#include "check.h"
#include "load.h"
#include <stdlib.h>
#include <string.h>

// As CUDA's headers have them.
enum { SUCCESS = 0, INVALID_VALUE = 1, HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, DEVICE_TO_DEVICE = 3, COUNT = 1 << 18 };
enum { WARP_SIZE = 10 };

// X(function, parameters)
#define FUNCTIONS(X)                                                                            \
  X(cudaRuntimeGetVersion, (int *))                                                             \
  X(cudaDriverGetVersion, (int *))                                                              \
  X(cudaGetDeviceCount, (int *))                                                                \
  X(cudaSetDevice, (int))                                                                       \
  X(cudaDeviceGetAttribute, (int *, int, int))                                                  \
  X(cudaMemGetInfo, (size_t *, size_t *))                                                       \
  X(cudaMalloc, (void **, size_t))                                                              \
  X(cudaFree, (void *))                                                                         \
  X(cudaMallocHost, (void **, size_t))                                                          \
  X(cudaFreeHost, (void *))                                                                     \
  X(cudaMemset, (void *, int, size_t))                                                          \
  X(cudaMemcpy, (void *, const void *, size_t, int))                                            \
  X(cudaMemcpyAsync, (void *, const void *, size_t, int, void *))                               \
  X(cudaStreamCreate, (void **))                                                                \
  X(cudaStreamQuery, (void *))                                                                  \
  X(cudaStreamSynchronize, (void *))                                                            \
  X(cudaStreamDestroy, (void *))                                                                \
  X(cudaEventCreate, (void **))                                                                 \
  X(cudaEventRecord, (void *, void *))                                                          \
  X(cudaEventSynchronize, (void *))                                                             \
  X(cudaEventElapsedTime, (float *, void *, void *))                                            \
  X(cudaEventDestroy, (void *))                                                                 \
  X(cudaDeviceSynchronize, (void))                                                              \
  X(cudaGetLastError, (void))                                                                   \
  X(cudaDeviceReset, (void))

#define DECLARE(name, parameters)        \
  typedef int(*name##_t) parameters; \
  static name##_t name;
FUNCTIONS(DECLARE)

int main(int count, char **arguments) {
  if (count != 2) return 2;
  HMODULE runtime = library(arguments[1]);
  if (!runtime) return 3;
#define FIND(name, parameters) name = (name##_t)function(runtime, #name);
  FUNCTIONS(FIND)
  const char *(*cudaGetErrorName)(int) = function(runtime, "cudaGetErrorName");

  int wrong = 0, version = 0, devices = 0, value = 0;
  IS(SUCCESS, cudaRuntimeGetVersion(&version));
  printf("runtime %d\n", version);
  IS(SUCCESS, cudaDriverGetVersion(&value));
  IS(1, value >= version - version % 1000);
  IS(SUCCESS, cudaGetDeviceCount(&devices));
  IS(1, devices);
  IS(SUCCESS, cudaSetDevice(0));
  IS(SUCCESS, cudaDeviceGetAttribute(&value, WARP_SIZE, 0));
  IS(32, value);
  size_t free_bytes = 0, all_bytes = 0;
  IS(SUCCESS, cudaMemGetInfo(&free_bytes, &all_bytes));
  IS(1, free_bytes > 0 && free_bytes <= all_bytes);

  unsigned *a = NULL, *b = NULL, *host = NULL;
  void *stream = NULL, *start = NULL, *end = NULL;
  float time = -1;
  IS(SUCCESS, cudaMalloc((void **)&a, COUNT * 4));
  IS(SUCCESS, cudaMalloc((void **)&b, COUNT * 4));
  IS(SUCCESS, cudaMallocHost((void **)&host, COUNT * 4));
  if (!host) return 1;
  for (int i = 0; i < COUNT; i++) host[i] = i * 2654435761u;
  IS(SUCCESS, cudaMemcpy(a, host, COUNT * 4, HOST_TO_DEVICE));
  IS(SUCCESS, cudaMemset(a, 7, 64));
  IS(SUCCESS, cudaStreamCreate(&stream));
  IS(SUCCESS, cudaEventCreate(&start));
  IS(SUCCESS, cudaEventCreate(&end));
  IS(SUCCESS, cudaEventRecord(start, stream));
  IS(SUCCESS, cudaMemcpyAsync(b, a, COUNT * 4, DEVICE_TO_DEVICE, stream));
  memset(host, 0, COUNT * 4);
  IS(SUCCESS, cudaMemcpyAsync(host, b, COUNT * 4, DEVICE_TO_HOST, stream));
  IS(SUCCESS, cudaEventRecord(end, stream));
  IS(SUCCESS, cudaEventSynchronize(end));
  IS(SUCCESS, cudaEventElapsedTime(&time, start, end));
  IS(1, time >= 0);
  IS(SUCCESS, cudaStreamSynchronize(stream));
  IS(SUCCESS, cudaStreamQuery(stream));
  int bad = 0;
  for (int i = 0; i < COUNT; i++) bad += host[i] != (i < 16 ? 0x07070707u : i * 2654435761u);
  IS(0, bad);

  IS(INVALID_VALUE, cudaMemcpy(a, host, 4, 99) == SUCCESS ? SUCCESS : INVALID_VALUE);
  cudaGetLastError();
  IS(SUCCESS, cudaGetLastError());
  IS(INVALID_VALUE, cudaFree((char *)a + 1));
  IS(INVALID_VALUE, cudaGetLastError());
  IS(0, strcmp(cudaGetErrorName(INVALID_VALUE), "cudaErrorInvalidValue"));
  IS(SUCCESS, cudaFree(a));
  IS(SUCCESS, cudaFree(b));
  IS(SUCCESS, cudaFreeHost(host));
  IS(SUCCESS, cudaEventDestroy(start));
  IS(SUCCESS, cudaEventDestroy(end));
  IS(SUCCESS, cudaStreamDestroy(stream));
  IS(SUCCESS, cudaDeviceSynchronize());
  IS(SUCCESS, cudaDeviceReset());
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
