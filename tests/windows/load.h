// Functions of a DLL by their names.

#include <stdio.h>
#include <string.h>
#include <windows.h>

// A library by its path; others of its folder, which it may load by their names, are found, too.
static HMODULE library(const char *name) {
  char folder[MAX_PATH];
  snprintf(folder, sizeof folder, "%s", name);
  char *end = strrchr(folder, '\\');
  if (end) {
    *end = 0;
    SetDllDirectoryA(folder);
  }
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
