// Has a library above the driver in its import table.

#include "check.h"

__declspec(dllimport) int cufftPlan1d(int *plan, int size, int type, int batch);
__declspec(dllimport) int cufftDestroy(int plan);

enum { C2C = 0x29 };

int main(void) {
  int wrong = 0, plan = 0;
  IS(0, cufftPlan1d(&plan, 64, C2C, 1));
  IS(0, cufftDestroy(plan));
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
