// What the tests' programs need of cuda.h.

#include <stddef.h>

#define CUDAAPI __stdcall

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;

// X(function, parameters)
#define FUNCTIONS(X)                                                                             \
  X(cuInit, (unsigned flags))                                                                    \
  X(cuDriverGetVersion, (int *version))                                                          \
  X(cuDeviceGetCount, (int *count))                                                              \
  X(cuDeviceGet, (CUdevice *device, int ordinal))                                                \
  X(cuDeviceGetName, (char *name, int length, CUdevice device))                                  \
  X(cuCtxCreate_v2, (CUcontext *context, unsigned flags, CUdevice device))                       \
  X(cuCtxDestroy_v2, (CUcontext context))                                                        \
  X(cuMemAlloc_v2, (CUdeviceptr *pointer, size_t bytes))                                         \
  X(cuMemFree_v2, (CUdeviceptr pointer))                                                         \
  X(cuMemsetD32_v2, (CUdeviceptr pointer, unsigned value, size_t count))                         \
  X(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t bytes))                           \
  X(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes))                                 \
  X(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))     \
  X(cuStreamCreate, (CUstream *stream, unsigned flags))                                          \
  X(cuStreamDestroy_v2, (CUstream stream))                                                       \
  X(cuStreamSynchronize, (CUstream stream))                                                      \
  X(cuEventCreate, (CUevent *event, unsigned flags))                                             \
  X(cuEventRecord, (CUevent event, CUstream stream))                                             \
  X(cuEventSynchronize, (CUevent event))                                                         \
  X(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end))                       \
  X(cuEventDestroy_v2, (CUevent event))                                                          \
  X(cuModuleLoadData, (CUmodule *module, const void *image))                                     \
  X(cuModuleUnload, (CUmodule module))
