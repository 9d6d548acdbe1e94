// A nvcuda.dll that programs must not get.

#define DECOY(name) \
  __declspec(dllexport) int name(void) { return 999; }
DECOY(cuInit)
DECOY(cuDriverGetVersion)
