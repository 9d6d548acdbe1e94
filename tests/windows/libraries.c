// Libraries above the driver, by the names of NVIDIA's DLLs.

#include "load.h"

enum { COUNT = 1024, FORWARD = -1, C2C = 0x29, PSEUDO_DEFAULT = 100 };

int main(void) {
  int wrong = 0;
  HMODULE driver = library("nvcuda.dll"), fft = library("cufft64_12.dll"), random = library("curand64_10.dll");
  if (!driver || !fft || !random) return 3;
  // Both versions are one library with one table of plans.
  if (library("CUFFT64_11.DLL") != fft || GetModuleHandleA("cufft64_12") != fft) wrong++;
  // What nobody has is not there.
  if (LoadLibraryA("cufft64_9.dll")) wrong++;

  int (*cuInit)(unsigned) = function(driver, "cuInit");
  int (*retain)(void **, int) = function(driver, "cuDevicePrimaryCtxRetain");
  int (*set_current)(void *) = function(driver, "cuCtxSetCurrent");
  int (*allocate)(unsigned long long *, size_t) = function(driver, "cuMemAlloc_v2");
  int (*to_device)(unsigned long long, const void *, size_t) = function(driver, "cuMemcpyHtoD_v2");
  int (*to_host)(void *, unsigned long long, size_t) = function(driver, "cuMemcpyDtoH_v2");
  int (*plan_of)(int *, int, int, int) = function(fft, "cufftPlan1d");
  int (*transform)(int, void *, void *, int) = function(fft, "cufftExecC2C");
  int (*destroy_plan)(int) = function(fft, "cufftDestroy");
  int (*create)(void **, int) = function(random, "curandCreateGenerator");
  int (*seed)(void *, unsigned long long) = function(random, "curandSetPseudoRandomGeneratorSeed");
  int (*uniform)(void *, void *, size_t) = function(random, "curandGenerateUniform");
  int (*destroy)(void *) = function(random, "curandDestroyGenerator");

  void *context = NULL, *generator = NULL;
  unsigned long long memory = 0;
  int plan = 0;
  static float host[2 * COUNT];
  wrong += cuInit(0) || retain(&context, 0) || set_current(context) || allocate(&memory, sizeof host);

  // The transform of one pulse is one everywhere.
  host[0] = 1;
  wrong += to_device(memory, host, sizeof host) != 0;
  wrong += plan_of(&plan, COUNT, C2C, 1) || transform(plan, (void *)memory, (void *)memory, FORWARD);
  wrong += to_host(host, memory, sizeof host) != 0 || destroy_plan(plan) != 0;
  int bad = 0;
  for (int i = 0; i < COUNT; i++) bad += host[2 * i] != 1 || host[2 * i + 1] != 0;
  if (bad) printf("%d values of the transform are wrong\n", bad);
  wrong += bad != 0;

  // Greater than 0 and at most 1, around a half.
  wrong += create(&generator, PSEUDO_DEFAULT) || seed(generator, 1) || uniform(generator, (void *)memory, 2 * COUNT);
  wrong += to_host(host, memory, sizeof host) != 0 || destroy(generator) != 0;
  double sum = bad = 0;
  for (int i = 0; i < 2 * COUNT; i++) bad += host[i] <= 0 || host[i] > 1, sum += host[i];
  printf("the mean is %.3f\n", sum / (2 * COUNT));
  wrong += bad != 0 || sum < 0.45 * 2 * COUNT || sum > 0.55 * 2 * COUNT;
  printf("%d wrong\n", wrong);
  return wrong;
}
