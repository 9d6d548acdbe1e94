// Loads nvcuda.dll in the way, and by the name, that the arguments say: A, W, ExA, ExW, or ExW as NVIDIA's runtime does it,
// of System32 alone.

#include "cuda.h"
#include <windows.h>

#define DECLARE(name, parameters)           \
  typedef CUresult(CUDAAPI *name##_t) parameters; \
  static name##_t name;
FUNCTIONS(DECLARE)

#include "driver.h"

static HMODULE load(const char *way, const char *name) {
  wchar_t wide[512];
  MultiByteToWideChar(CP_UTF8, 0, name, -1, wide, 512);
  if (!strcmp(way, "A")) return LoadLibraryA(name);
  if (!strcmp(way, "W")) return LoadLibraryW(wide);
  if (!strcmp(way, "ExA")) return LoadLibraryExA(name, NULL, 0);
  if (!strcmp(way, "ExW")) return LoadLibraryExW(wide, NULL, 0);
  return LoadLibraryExW(wide, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  HMODULE driver = load(arguments[1], arguments[2]);
  if (!driver) {
    printf("%s is not there: %lu\n", arguments[2], GetLastError());
    return 3;
  }
#define FIND(name, parameters)                            \
  name = (name##_t)(void *)GetProcAddress(driver, #name); \
  if (!name) {                                            \
    printf("no %s\n", #name);                             \
    return 4;                                             \
  }
  FUNCTIONS(FIND)
  int wrong = check_driver();
  if (GetModuleHandleA("nvcuda.dll") != driver) wrong++;
  // By the name that it was loaded by, without and with a count of its own.
  HMODULE same = NULL;
  wchar_t wide[512];
  MultiByteToWideChar(CP_UTF8, 0, arguments[2], -1, wide, 512);
  if (GetModuleHandleA(arguments[2]) != driver || GetModuleHandleW(wide) != driver) wrong++;
  if (!GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, arguments[2], &same) || same != driver) wrong++;
  if (!GetModuleHandleExW(0, wide, &same) || same != driver || !FreeLibrary(same)) wrong++;
  // An address is no name.
  const char *inside = (const char *)(void *)cuInit;
  if (!GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, inside, &same) || same != driver) wrong++;
  FreeLibrary(driver);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
