// Loads the driver, runs a kernel and unloads the driver, again and again, while other threads that have used it go on.

#include "check.h"
#include "load.h"

enum { TIMES = 3, COUNT = 64 };

static const char PTX[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry twice(.param .u64 memory) {\n"
    ".reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n"
    "ld.param.u64 %rd1, [memory];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
    "ld.global.u32 %r2, [%rd3];\nshl.b32 %r3, %r2, 1;\nst.global.u32 [%rd3], %r3;\nret;\n}\n";

static int wrong;
static HANDLE used, unloaded;

static void use(void) {
  HMODULE driver = library("nvcuda.dll");
  int (*init)(unsigned) = function(driver, "cuInit");
  int (*create)(void **, unsigned, int) = function(driver, "cuCtxCreate_v2");
  int (*destroy)(void *) = function(driver, "cuCtxDestroy_v2");
  int (*load)(void **, const void *) = function(driver, "cuModuleLoadData");
  int (*kernel_of)(void **, void *, const char *) = function(driver, "cuModuleGetFunction");
  int (*allocate)(unsigned long long *, size_t) = function(driver, "cuMemAlloc_v2");
  int (*set)(unsigned long long, unsigned, size_t) = function(driver, "cuMemsetD32_v2");
  int (*copy)(void *, unsigned long long, size_t) = function(driver, "cuMemcpyDtoH_v2");
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **) =
      function(driver, "cuLaunchKernel");
  void *context = NULL, *module = NULL, *kernel = NULL;
  unsigned long long memory = 0;
  unsigned values[COUNT] = {0};
  void *parameters[] = {&memory};
  IS(0, init(0));
  IS(0, create(&context, 0, 0));
  IS(0, load(&module, PTX));
  IS(0, kernel_of(&kernel, module, "twice"));
  IS(0, allocate(&memory, sizeof values));
  IS(0, set(memory, 21, COUNT));
  IS(0, launch(kernel, 1, 1, 1, COUNT, 1, 1, 0, NULL, parameters, NULL));
  IS(0, copy(values, memory, sizeof values));
  for (int i = 0; i < COUNT; i++) IS(42, (int)values[i]);
  IS(0, destroy(context));
  IS(1, FreeLibrary(driver));
}

static DWORD CALLBACK thread(void *unused) {
  use();
  SetEvent(used);
  // Its ends are the driver's, too, if that is still there.
  WaitForSingleObject(unloaded, INFINITE);
  return 0;
}

int main(void) {
  used = CreateEventA(NULL, FALSE, FALSE, NULL);
  unloaded = CreateEventA(NULL, TRUE, FALSE, NULL);
  HANDLE other = CreateThread(NULL, 0, thread, NULL, 0, NULL);
  WaitForSingleObject(used, INFINITE);
  for (int i = 0; i < TIMES; i++) {
    use();
    // What the driver leaves behind runs on.
    Sleep(200);
  }
  SetEvent(unloaded);
  IS(WAIT_OBJECT_0, (int)WaitForSingleObject(other, 10000));
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
