// cuFFT and cuRAND, by the names of NVIDIA's DLLs.

#include "check.h"
#include "device.h"

// As CUDA's headers have them.
enum { FORWARD = -1, C2C = 0x29, PSEUDO_DEFAULT = 100 };
enum { COUNT = 1024 };

static int check_fft(void) {
  HMODULE fft = library("cufft64_12.dll"), old = library("CUFFT64_11.DLL");
  int wrong = 0, plan = 0;
  // What nobody has is not there.
  IS(1, LoadLibraryA("cufft64_9.dll") == NULL);
  IS(1, GetModuleHandleA("cufft64_12") == fft);
  int (*plan_of)(int *, int, int, int) = function(fft, "cufftPlan1d");
  int (*transform)(int, void *, void *, int) = function(fft, "cufftExecC2C");
  // Both versions are one library with one table of plans.
  int (*destroy)(int) = function(old, "cufftDestroy");
  static float host[2 * COUNT];
  // The transform of one pulse is one everywhere.
  host[0] = 1;
  void *memory = device(host, sizeof host);
  IS(0, plan_of(&plan, COUNT, C2C, 1));
  IS(0, transform(plan, memory, memory, FORWARD));
  to_host(host, memory, sizeof host);
  IS(0, destroy(plan));
  int bad = 0;
  for (int i = 0; i < COUNT; i++) bad += host[2 * i] != 1 || host[2 * i + 1] != 0;
  IS(0, bad);
  return wrong;
}

static int check_random(void) {
  HMODULE random = library("curand64_10.dll");
  int wrong = 0;
  int (*create)(void **, int) = function(random, "curandCreateGenerator");
  int (*seed)(void *, unsigned long long) = function(random, "curandSetPseudoRandomGeneratorSeed");
  int (*uniform)(void *, void *, size_t) = function(random, "curandGenerateUniform");
  int (*destroy)(void *) = function(random, "curandDestroyGenerator");
  void *generator = NULL;
  static float host[2 * COUNT];
  void *memory = device(NULL, sizeof host);
  IS(0, create(&generator, PSEUDO_DEFAULT));
  IS(0, seed(generator, 1));
  IS(0, uniform(generator, memory, 2 * COUNT));
  to_host(host, memory, sizeof host);
  IS(0, destroy(generator));
  // Greater than 0 and at most 1, around a half.
  double sum = 0;
  int bad = 0;
  for (int i = 0; i < 2 * COUNT; i++) bad += host[i] <= 0 || host[i] > 1, sum += host[i];
  IS(0, bad);
  IS(1, sum > 0.45 * 2 * COUNT && sum < 0.55 * 2 * COUNT);
  return wrong;
}

int main(void) {
  start();
  int wrong = check_fft() + check_random();
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
