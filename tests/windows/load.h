// Functions of a DLL by their names.

#include <stdio.h>
#include <windows.h>

static HMODULE library(const char *name) {
  HMODULE found = LoadLibraryA(name);
  if (!found) printf("%s is not there: %lu\n", name, GetLastError());
  return found;
}

static void *function(HMODULE library, const char *name) {
  void *found = library ? (void *)GetProcAddress(library, name) : NULL;
  if (!found) {
    printf("no %s\n", name);
    ExitProcess(4);
  }
  return found;
}
