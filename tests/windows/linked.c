// Imports nvcuda.dll.

#include "cuda.h"

#define DECLARE(name, parameters) __declspec(dllimport) CUresult CUDAAPI name parameters;
FUNCTIONS(DECLARE)

#include "driver.h"

int main(void) {
  int wrong = check_driver();
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
