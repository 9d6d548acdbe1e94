// Starts the program that its arguments name, by CreateProcessA or W, and ends with its exit code.

#include <windows.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
  if (count < 3) return 2;
  char line[2048] = "";
  for (int i = 2; i < count; i++) {
    strcat(line, "\"");
    strcat(line, arguments[i]);
    strcat(line, "\" ");
  }
  wchar_t wide[2048];
  MultiByteToWideChar(CP_ACP, 0, line, -1, wide, 2048);
  STARTUPINFOA startup = {.cb = sizeof startup};
  STARTUPINFOW startup_wide = {.cb = sizeof startup_wide};
  PROCESS_INFORMATION child;
  BOOL good = !strcmp(arguments[1], "A")
      ? CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &child)
      : CreateProcessW(NULL, wide, NULL, NULL, TRUE, 0, NULL, NULL, &startup_wide, &child);
  if (!good) {
    printf("%s does not start: %lu\n", line, GetLastError());
    return 3;
  }
  DWORD code = 4;
  WaitForSingleObject(child.hProcess, INFINITE);
  GetExitCodeProcess(child.hProcess, &code);
  return (int)code;
}
