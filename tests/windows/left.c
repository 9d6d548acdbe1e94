// Frees the driver while a function that it calls has not returned to it.

#include "check.h"
#include "load.h"

static int wrong;
static HANDLE called, returns;

static void WINAPI late(void *unused) {
  SetEvent(called);
  WaitForSingleObject(returns, INFINITE);
}

int main(void) {
  HMODULE driver = library("nvcuda.dll");
  int (*init)(unsigned) = function(driver, "cuInit");
  int (*create)(void **, unsigned, int) = function(driver, "cuCtxCreate_v2");
  int (*launch)(void *, void (WINAPI *)(void *), void *) = function(driver, "cuLaunchHostFunc");
  void *context = NULL;
  called = CreateEventA(NULL, FALSE, FALSE, NULL);
  returns = CreateEventA(NULL, FALSE, FALSE, NULL);
  IS(0, init(0));
  IS(0, create(&context, 0, 0));
  IS(0, launch(NULL, late, NULL));
  IS(WAIT_OBJECT_0, (int)WaitForSingleObject(called, 10000));
  IS(1, FreeLibrary(driver));
  SetEvent(returns);
  // Back in the driver.
  Sleep(500);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
