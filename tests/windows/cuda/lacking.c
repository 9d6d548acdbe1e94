// What mingw's C library lacks: of glibc, for samples; of Microsoft's, for NVIDIA's static runtime library, which is theirs.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void __assert_fail(const char *condition, const char *file, unsigned line, const char *function) {
  fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, condition);
  abort();
}

// "/GS": a word on the stack that frames compare.
uintptr_t __security_cookie = 0x2b992ddfa232;

// Frames call it with their result in a register, which has to stay.
__attribute__((naked)) void __security_check_cookie(uintptr_t cookie) {
  __asm__("cmpq __security_cookie(%rip), %rcx\n\tjne 1f\n\tret\n1:\tud2");
}

// ExceptionContinueSearch
int __GSHandlerCheck(void *record, void *frame, void *context, void *dispatcher) { return 1; }

int _fltused = 0x9875;
