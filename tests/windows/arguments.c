// Ends with the number of its arguments, which it prints, a line each, between brackets, as UTF-8.

#include <stdio.h>
#include <windows.h>
#include <shellapi.h>

int main(void) {
  int count = 0;
  wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &count);
  for (int i = 1; i < count; i++) {
    char text[4096] = "";
    WideCharToMultiByte(CP_UTF8, 0, arguments[i], -1, text, sizeof text, NULL, NULL);
    printf("[%s]\n", text);
  }
  return count - 1;
}
