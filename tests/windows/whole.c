// Starts itself by the command zluda, whose path its argument is, and looks whether the other process has what this one
// gives it: input and output, a handle, a variable, the working directory, arguments, and an exit code of 32 bits.

#include "check.h"
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#include <shellapi.h>

enum { CODE = 0x89abcdef };
static const wchar_t ODD[] = L"\u00e4 \u6771 \\\" %PATH% ^&| \\";
static const wchar_t QUOTED[] = L"\"\u00e4 \u6771 \\\\\\\" %PATH% ^&| \\\\\"";
static const wchar_t VALUE[] = L"Gr\u00fc\u00dfe \U0001f642";
static const wchar_t FOLDER[] = L"C:\\windows";
static const char TEXT[] = "one\r\n\x1a\xff two";

static int inner(wchar_t **arguments) {
  int wrong = 0;
  wchar_t value[64] = L"", folder[MAX_PATH] = L"";
  char text[64] = "";
  IS(0, wcscmp(arguments[3], ODD));
  IS(0, wcscmp(arguments[4], L""));
  GetEnvironmentVariableW(L"ZLUDA_TEST_VALUE", value, 64);
  IS(0, wcscmp(value, VALUE));
  GetCurrentDirectoryW(MAX_PATH, folder);
  IS(0, _wcsicmp(folder, FOLDER));
  _setmode(0, _O_BINARY);
  IS((int)sizeof TEXT, (int)fread(text, 1, sizeof text, stdin));
  IS(0, memcmp(text, TEXT, sizeof TEXT));
  IS(1, SetEvent((HANDLE)(ULONG_PTR)_wtoi64(arguments[2])));
  fprintf(stderr, "to the other\n");
  return wrong ? wrong : CODE;
}

static int outer(const wchar_t *zluda) {
  int wrong = 0;
  SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
  HANDLE ends[3][2], event = CreateEventW(&inherited, TRUE, FALSE, NULL);
  for (int i = 0; i < 3; i++) {
    IS(1, CreatePipe(&ends[i][0], &ends[i][1], &inherited, 0));
    SetHandleInformation(ends[i][i != 0 ? 0 : 1], HANDLE_FLAG_INHERIT, 0);
  }
  wchar_t self[MAX_PATH], line[4096];
  GetModuleFileNameW(NULL, self, MAX_PATH);
  swprintf(line, 4096, L"\"%ls\" run -- \"%ls\" inner %llu %ls \"\"", zluda, self, (unsigned long long)(ULONG_PTR)event, QUOTED);
  SetEnvironmentVariableW(L"ZLUDA_TEST_VALUE", VALUE);
  STARTUPINFOW startup = {.cb = sizeof startup, .dwFlags = STARTF_USESTDHANDLES};
  startup.hStdInput = ends[0][0];
  startup.hStdOutput = ends[1][1];
  startup.hStdError = ends[2][1];
  PROCESS_INFORMATION child;
  if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, FOLDER, &startup, &child)) {
    printf("%ls does not start: %lu\n", line, GetLastError());
    return 3;
  }
  CloseHandle(ends[0][0]);
  CloseHandle(ends[1][1]);
  CloseHandle(ends[2][1]);
  DWORD bytes = 0, code = 0;
  IS(1, WriteFile(ends[0][1], TEXT, sizeof TEXT, &bytes, NULL));
  CloseHandle(ends[0][1]);
  char out[4096] = "", error[4096] = "";
  ReadFile(ends[1][0], out, sizeof out - 1, &bytes, NULL);
  ReadFile(ends[2][0], error, sizeof error - 1, &bytes, NULL);
  WaitForSingleObject(child.hProcess, INFINITE);
  GetExitCodeProcess(child.hProcess, &code);
  IS((int)CODE, (int)code);
  IS(WAIT_OBJECT_0, (int)WaitForSingleObject(event, 0));
  IS(0, strcmp(out, ""));
  IS(1, strstr(error, "to the other") != NULL);
  printf("%s%s%d wrong\n", out, error, wrong);
  return wrong != 0;
}

int main(void) {
  int count = 0;
  wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &count);
  if (count == 2) return outer(arguments[1]);
  return count == 5 ? inner(arguments) : 2;
}
