// The program's own handlers see the program's own faults, all of them and nothing else, while the driver is in use.

#include "cuda.h"

#define DECLARE(name, parameters) __declspec(dllimport) CUresult CUDAAPI name parameters;
FUNCTIONS(DECLARE)

#include "driver.h"
#include <setjmp.h>
#include <windows.h>

static volatile int first_saw, last_saw;
static volatile ULONG_PTR address;
static jmp_buf back;

static LONG CALLBACK first(EXCEPTION_POINTERS *exception) {
  first_saw++;
  address = exception->ExceptionRecord->ExceptionInformation[1];
  return EXCEPTION_CONTINUE_SEARCH;
}

static void leave(void) { longjmp(back, 1); }

static LONG CALLBACK last(EXCEPTION_POINTERS *exception) {
  last_saw++;
  // As a debugger that steps over it: the program goes on elsewhere.
  exception->ContextRecord->Rip = (ULONG_PTR)leave;
  exception->ContextRecord->Rsp = (exception->ContextRecord->Rsp & ~15ull) - 8 - 256;
  return EXCEPTION_CONTINUE_EXECUTION;
}

static int fault(ULONG_PTR at) {
  int wrong = 0, seen = first_saw;
  address = 0;
  if (!setjmp(back)) {
    *(volatile char *)at = 1;
    wrong++;
  }
  IS(seen + 1, first_saw);
  IS(first_saw, last_saw);
  IS(1, address == at);
  return wrong;
}

int main(void) {
  int wrong = 0;
  // In front of the driver's handler, and behind it.
  AddVectoredExceptionHandler(1, first);
  AddVectoredExceptionHandler(0, last);
  wrong += fault(0x18);
  wrong += check_driver();
  IS(1, first_saw);
  wrong += fault(0x28);

  // Of memory that the driver manages, too.
  CUcontext context;
  CUdeviceptr pointer;
  IS(SUCCESS, cuCtxCreate_v2(&context, 0, 0));
  IS(SUCCESS, cuMemAlloc_v2(&pointer, 1 << 20));
  char *page = VirtualAlloc(NULL, 4096, MEM_RESERVE | MEM_COMMIT, PAGE_READONLY);
  wrong += fault((ULONG_PTR)page + 8);
  IS(SUCCESS, cuMemFree_v2(pointer));
  IS(SUCCESS, cuCtxDestroy_v2(context));
  wrong += fault(0x38);
  IS(4, last_saw);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
