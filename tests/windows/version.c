// Prints what the driver's file says of its version, as programs read it, and compares it with what the driver says.

#include "cuda.h"
#include <stdio.h>
#include <string.h>
#include <windows.h>

int main(void) {
  char path[MAX_PATH], query[64], start[64], *text;
  UINT size;
  HMODULE driver = LoadLibraryA("nvcuda.dll");
  if (!driver || !GetModuleFileNameA(driver, path, sizeof path)) return 2;
  static char information[1 << 16];
  if (!GetFileVersionInfoA(path, 0, sizeof information, information)) {
    printf("no version: %lu\n", GetLastError());
    return 3;
  }
  VS_FIXEDFILEINFO *numbers;
  if (!VerQueryValueA(information, "\\", (void **)&numbers, &size)) return 4;
  // 32.0.15.8088 is the driver 580.88.
  int number = HIWORD(numbers->dwFileVersionLS) % 10 * 10000 + LOWORD(numbers->dwFileVersionLS);
  printf("driver %d.%02d\n", number / 100, number % 100);
  int wrong = HIWORD(numbers->dwFileVersionMS) < 31 || number < 58000 || number > 99999;

  struct { WORD language, page; } *translation;
  if (!VerQueryValueA(information, "\\VarFileInfo\\Translation", (void **)&translation, &size)) return 5;
  sprintf(query, "\\StringFileInfo\\%04x%04x\\ProductName", translation->language, translation->page);
  if (!VerQueryValueA(information, query, (void **)&text, &size)) return 6;
  printf("%s\n", text);
  int version = 0;
  CUresult(CUDAAPI * get)(int *) = (void *)GetProcAddress(driver, "cuDriverGetVersion");
  if (!get || get(&version)) return 7;
  sprintf(start, "NVIDIA CUDA %d.%d.", version / 1000, version % 1000 / 10);
  wrong += strncmp(text, start, strlen(start)) != 0;
  printf("%d wrong\n", wrong);
  return wrong;
}
