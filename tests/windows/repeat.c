// Starts a program again and again, which must end with 1, and looks for handles and memory that stay.

#include <windows.h>
#include <psapi.h>
#include <stdio.h>
#include <stdlib.h>

// What a heap may keep for later.
enum { ALLOWED_BYTES = 1 << 20, WARM_UP = 5 };

static int start(const char *program) {
  char line[2048];
  snprintf(line, sizeof line, "\"%s\" once", program);
  STARTUPINFOA startup = {.cb = sizeof startup};
  PROCESS_INFORMATION child;
  if (!CreateProcessA(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &child)) return -1;
  DWORD code = STILL_ACTIVE;
  if (WaitForSingleObject(child.hProcess, 60000) != WAIT_OBJECT_0) TerminateProcess(child.hProcess, 99);
  WaitForSingleObject(child.hProcess, INFINITE);
  GetExitCodeProcess(child.hProcess, &code);
  CloseHandle(child.hThread);
  CloseHandle(child.hProcess);
  return (int)code;
}

// The next free handle tells of those that stay; Wine does not count them.
static void measure(ULONG_PTR *handle, SIZE_T *bytes) {
  PROCESS_MEMORY_COUNTERS counters = {.cb = sizeof counters};
  HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);
  *handle = (ULONG_PTR)event;
  CloseHandle(event);
  GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters);
  *bytes = counters.PagefileUsage;
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  int times = atoi(arguments[1]), wrong = 0;
  ULONG_PTR handle = 0, handle_now = 0;
  SIZE_T bytes = 0, bytes_now = 0;
  for (int i = 0; i < times + WARM_UP; i++) {
    if (i == WARM_UP) measure(&handle, &bytes);
    int code = start(arguments[2]);
    if (code != 1) {
      printf("the time %d it ends with %d\n", i, code);
      wrong++;
    }
  }
  measure(&handle_now, &bytes_now);
  printf("the next handle is %#llx before, %#llx after; %llu and %llu bytes\n", (unsigned long long)handle,
         (unsigned long long)handle_now, (unsigned long long)bytes, (unsigned long long)bytes_now);
  if (handle_now > handle) wrong++;
  if (bytes_now > bytes + ALLOWED_BYTES) wrong++;
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
