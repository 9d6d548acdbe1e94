// A build without LLVM: the names that are linked, as functions that end the process, and the few that are called all the
// same.

#include <stdlib.h>
#include <string.h>

#define UNUSED(name) \
  void name(void) { abort(); }
#define LLVMGetHostCPUName unused_1
#define LLVMGetHostCPUFeatures unused_2
#define LLVMDisposeMessage unused_3
#include "functions.inc"
#undef LLVMGetHostCPUName
#undef LLVMGetHostCPUFeatures
#undef LLVMDisposeMessage

char *LLVMGetHostCPUName(void) { return strdup("x86-64"); }
char *LLVMGetHostCPUFeatures(void) { return strdup(""); }
void LLVMDisposeMessage(char *message) { free(message); }
