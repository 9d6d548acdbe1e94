// NVIDIA's own runtime compiler, which its argument names: PTX of a text, and the words about one that is wrong.

#include "load.h"
#include <stdlib.h>
#include <string.h>

static const char GOOD[] =
    "extern \"C\" __global__ void twice(float *x, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] *= 2;\n"
    "}\n";
static const char BAD[] = "extern \"C\" __global__ void wrong() { nothing(); }\n";

int main(int count, char **arguments) {
  if (count != 2) return 2;
  HMODULE compiler = library(arguments[1]);
  if (!compiler) return 3;
  int (*create)(void **, const char *, const char *, int, const char **, const char **) =
      function(compiler, "nvrtcCreateProgram");
  int (*compile)(void *, int, const char **) = function(compiler, "nvrtcCompileProgram");
  int (*size_of)(void *, size_t *) = function(compiler, "nvrtcGetPTXSize");
  int (*get)(void *, char *) = function(compiler, "nvrtcGetPTX");
  int (*log_size)(void *, size_t *) = function(compiler, "nvrtcGetProgramLogSize");
  int (*log_text)(void *, char *) = function(compiler, "nvrtcGetProgramLog");
  const char *options[] = {"--gpu-architecture=compute_80"};

  int wrong = 0;
  void *program = NULL;
  size_t size = 0;
  wrong += create(&program, GOOD, "good.cu", 0, NULL, NULL) != 0;
  int result = compile(program, 1, options);
  printf("compiling: %d\n", result);
  wrong += result != 0 || size_of(program, &size) != 0;
  char *text = calloc(size + 1, 1);
  wrong += get(program, text) != 0 || !strstr(text, ".visible .entry twice") || !strstr(text, ".target sm_80");

  // NVRTC_ERROR_COMPILATION
  wrong += create(&program, BAD, "bad.cu", 0, NULL, NULL) != 0 || compile(program, 1, options) != 6;
  wrong += log_size(program, &size) != 0;
  text = calloc(size + 1, 1);
  wrong += log_text(program, text) != 0 || !strstr(text, "identifier \"nothing\" is undefined");
  printf("%d wrong\n", wrong);
  return wrong;
}
