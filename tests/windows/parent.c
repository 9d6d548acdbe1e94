// Starts the program that its arguments name, in the way that the first one says, and ends with its exit code.

#include <process.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <shellapi.h>

static int end_of(HANDLE process) {
  DWORD code = 4;
  WaitForSingleObject(process, INFINITE);
  GetExitCodeProcess(process, &code);
  return (int)code;
}

// As a person's double click.
static int by_shell(char **arguments) {
  char rest[2048] = "";
  for (int i = 1; arguments[i]; i++) {
    strcat(rest, arguments[i]);
    strcat(rest, " ");
  }
  SHELLEXECUTEINFOA info = {.cbSize = sizeof info, .lpFile = arguments[0], .lpParameters = rest, .nShow = SW_SHOWNORMAL};
  info.fMask = SEE_MASK_NOCLOSEPROCESS | SEE_MASK_FLAG_NO_UI;
  if (!ShellExecuteExA(&info) || !info.hProcess) {
    printf("%s does not start: %lu\n", arguments[0], GetLastError());
    return 3;
  }
  return end_of(info.hProcess);
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  const char *way = arguments[1];
  char line[2048] = "";
  for (int i = 2; i < count; i++) {
    strcat(line, "\"");
    strcat(line, arguments[i]);
    strcat(line, "\" ");
  }
  if (!strcmp(way, "spawn")) return (int)_spawnv(_P_WAIT, arguments[2], (const char *const *)arguments + 2);
  if (!strcmp(way, "system")) return system(arguments[2]);
  if (!strcmp(way, "shell")) return by_shell(arguments + 2);
  wchar_t wide[2048];
  MultiByteToWideChar(CP_ACP, 0, line, -1, wide, 2048);
  STARTUPINFOA startup = {.cb = sizeof startup};
  STARTUPINFOW startup_wide = {.cb = sizeof startup_wide};
  PROCESS_INFORMATION child;
  BOOL good = FALSE;
  if (!strcmp(way, "A")) good = CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &child);
  if (!strcmp(way, "W")) good = CreateProcessW(NULL, wide, NULL, NULL, TRUE, 0, NULL, NULL, &startup_wide, &child);
  if (!strcmp(way, "user")) {
    HANDLE token;
    good = OpenProcessToken(GetCurrentProcess(), TOKEN_ALL_ACCESS, &token) &&
           CreateProcessAsUserW(token, NULL, wide, NULL, NULL, TRUE, 0, NULL, NULL, &startup_wide, &child);
  }
  if (!strcmp(way, "suspended")) {
    good = CreateProcessW(NULL, wide, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &startup_wide, &child);
    // It waits, whatever was put into it.
    if (good && WaitForSingleObject(child.hProcess, 300) != WAIT_TIMEOUT) return 5;
    if (good && ResumeThread(child.hThread) != 1) return 6;
  }
  if (!good) {
    printf("%s does not start: %lu\n", line, GetLastError());
    return 3;
  }
  return end_of(child.hProcess);
}
