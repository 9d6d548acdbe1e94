// Devices, memory, copies, streams, events and errors: all that needs no kernel. Returns the number of what is wrong.

#include "check.h"
#include "cuda.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_VALUE = 1, INVALID_PTX = 218, INVALID_IMAGE = 200, NOT_INITIALIZED = 3, COUNT = 1 << 18 };

static int check_driver(void) {
  int wrong = 0, count = 0, version = 0;
  CUdevice device = -1;
  CUcontext context = NULL;
  char name[256] = "";
  IS(NOT_INITIALIZED, cuDeviceGetCount(&count));
  IS(SUCCESS, cuInit(0));
  IS(SUCCESS, cuDriverGetVersion(&version));
  IS(1, version >= 12000);
  IS(SUCCESS, cuDeviceGetCount(&count));
  IS(1, count);
  IS(SUCCESS, cuDeviceGet(&device, 0));
  IS(SUCCESS, cuDeviceGetName(name, sizeof name, device));
  IS(1, strstr(name, "ZLUDA") != NULL);
  IS(SUCCESS, cuCtxCreate_v2(&context, 0, device));

  CUdeviceptr a = 0, b = 0;
  CUstream stream = NULL;
  CUevent start = NULL, end = NULL;
  float time = -1;
  IS(SUCCESS, cuMemAlloc_v2(&a, COUNT * 4));
  IS(SUCCESS, cuMemAlloc_v2(&b, COUNT * 4));
  unsigned *host = malloc(COUNT * 4);
  for (int i = 0; i < COUNT; i++) host[i] = i * 2654435761u;
  IS(SUCCESS, cuMemcpyHtoD_v2(a, host, COUNT * 4));
  IS(SUCCESS, cuMemsetD32_v2(a, 7, 16));
  IS(SUCCESS, cuStreamCreate(&stream, 0));
  IS(SUCCESS, cuEventCreate(&start, 0));
  IS(SUCCESS, cuEventCreate(&end, 0));
  IS(SUCCESS, cuEventRecord(start, stream));
  IS(SUCCESS, cuMemcpyDtoDAsync_v2(b, a, COUNT * 4, stream));
  IS(SUCCESS, cuEventRecord(end, stream));
  IS(SUCCESS, cuEventSynchronize(end));
  IS(SUCCESS, cuEventElapsedTime(&time, start, end));
  IS(1, time >= 0);
  memset(host, 0, COUNT * 4);
  IS(SUCCESS, cuMemcpyDtoH_v2(host, b, COUNT * 4));
  int bad = 0;
  for (int i = 0; i < COUNT; i++) bad += host[i] != (i < 16 ? 7u : i * 2654435761u);
  IS(0, bad);
  free(host);

  CUmodule module = NULL;
  IS(INVALID_IMAGE, cuModuleLoadData(&module, "no image at all"));
  IS(INVALID_VALUE, cuMemFree_v2(a + 1));
  IS(SUCCESS, cuMemFree_v2(a));
  IS(INVALID_VALUE, cuMemFree_v2(a));
  IS(SUCCESS, cuMemFree_v2(b));
  IS(SUCCESS, cuEventDestroy_v2(start));
  IS(SUCCESS, cuEventDestroy_v2(end));
  IS(SUCCESS, cuStreamDestroy_v2(stream));
  IS(SUCCESS, cuCtxDestroy_v2(context));
  return wrong;
}
