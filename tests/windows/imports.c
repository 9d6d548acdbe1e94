// Has libraries above the driver in its import table.

#include "check.h"

#define IMPORTED(type, name, parameters) __declspec(dllimport) type name parameters;
IMPORTED(int, cufftPlan1d, (int *plan, int size, int type, int batch))
IMPORTED(int, cufftDestroy, (int plan))
IMPORTED(int, cublasCreate_v2, (void **handle))
IMPORTED(int, cublasDestroy_v2, (void *handle))
IMPORTED(int, nvmlInit_v2, (void))
IMPORTED(int, nvmlDeviceGetCount_v2, (unsigned *count))
IMPORTED(int, nvmlShutdown, (void))

enum { C2C = 0x29 };

int main(void) {
  int wrong = 0, plan = 0;
  unsigned count = 0;
  void *handle = 0;
  IS(0, cublasCreate_v2(&handle));
  IS(0, cublasDestroy_v2(handle));
  IS(0, cufftPlan1d(&plan, 64, C2C, 1));
  IS(0, cufftDestroy(plan));
  IS(0, nvmlInit_v2());
  IS(0, nvmlDeviceGetCount_v2(&count));
  IS(1, count);
  IS(0, nvmlShutdown());
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
