// Libraries above the driver, by the names of NVIDIA's DLLs.

#include "check.h"
#include "load.h"
#include <stdlib.h>

// As CUDA's headers have them.
enum { FORWARD = -1, C2C = 0x29, PSEUDO_DEFAULT = 100, INDEX_32I = 2, R_32F = 0, LOWER = 0, NCHW = 0, FLOAT = 0 };
enum { COUNT = 1024 };

static HMODULE driver;
static unsigned long long memory;

static void to_device(const void *from, size_t bytes) {
  int (*copy)(unsigned long long, const void *, size_t) = function(driver, "cuMemcpyHtoD_v2");
  if (copy(memory, from, bytes)) exit(5);
}

static void to_host(void *to, size_t bytes) {
  int (*copy)(void *, unsigned long long, size_t) = function(driver, "cuMemcpyDtoH_v2");
  if (copy(to, memory, bytes)) exit(6);
}

static int check_floats(const char *what, const float *found, const float *wanted, int count) {
  for (int i = 0; i < count; i++)
    if (found[i] != wanted[i]) {
      printf("%s: %g in the place of %g\n", what, found[i], wanted[i]);
      return 1;
    }
  return 0;
}

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
  to_device(host, sizeof host);
  IS(0, plan_of(&plan, COUNT, C2C, 1));
  IS(0, transform(plan, (void *)memory, (void *)memory, FORWARD));
  to_host(host, sizeof host);
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
  IS(0, create(&generator, PSEUDO_DEFAULT));
  IS(0, seed(generator, 1));
  IS(0, uniform(generator, (void *)memory, 2 * COUNT));
  to_host(host, sizeof host);
  IS(0, destroy(generator));
  // Greater than 0 and at most 1, around a half.
  double sum = 0;
  int bad = 0;
  for (int i = 0; i < 2 * COUNT; i++) bad += host[i] <= 0 || host[i] > 1, sum += host[i];
  IS(0, bad);
  IS(1, sum > 0.45 * 2 * COUNT && sum < 0.55 * 2 * COUNT);
  return wrong;
}

static int check_blas(void) {
  HMODULE blas = library("cublas64_13.dll"), lt = library("cublasLt64_13.dll");
  int wrong = 0;
  IS(1, library("cublas64_12.dll") != NULL && library("cublasLt64_12.dll") != NULL);
  int (*create)(void **) = function(blas, "cublasCreate_v2"), (*destroy)(void *) = function(blas, "cublasDestroy_v2");
  int (*product)(void *, int, int, int, int, int, const float *, const float *, int, const float *, int, const float *,
                 float *, int) = function(blas, "cublasSgemm_v2");
  size_t (*version)(void) = function(lt, "cublasLtGetVersion");
  IS(1, version() >= 120000);
  void *handle = NULL;
  // By columns: the matrix (1 2, 3 4) times itself.
  float one = 1, zero = 0, host[8] = {1, 3, 2, 4}, wanted[4] = {7, 15, 10, 22};
  float *on_device = (float *)memory;
  to_device(host, sizeof host);
  IS(0, create(&handle));
  IS(0, product(handle, 0, 0, 2, 2, 2, &one, on_device, 2, on_device, 2, &zero, on_device + 4, 2));
  to_host(host, sizeof host);
  IS(0, destroy(handle));
  return wrong + check_floats("the product", host + 4, wanted, 4);
}

static int check_sparse(void) {
  HMODULE sparse = library("cusparse64_12.dll");
  int wrong = 0;
  int (*create)(void **) = function(sparse, "cusparseCreate"), (*destroy)(void *) = function(sparse, "cusparseDestroy");
  int (*vector)(void **, long long, long long, void *, void *, int, int, int) = function(sparse, "cusparseCreateSpVec");
  int (*dense)(void **, long long, void *, int) = function(sparse, "cusparseCreateDnVec");
  int (*sum)(void *, const void *, void *, const void *, void *) = function(sparse, "cusparseAxpby");
  struct {
    float y[4], x[2];
    int at[2];
  } host = {{1, 2, 3, 4}, {10, 20}, {1, 3}}, *on_device = (void *)memory;
  float two = 2, one = 1, wanted[4] = {1, 22, 3, 44};
  void *handle = NULL, *x = NULL, *y = NULL;
  to_device(&host, sizeof host);
  IS(0, create(&handle));
  IS(0, vector(&x, 4, 2, on_device->at, on_device->x, INDEX_32I, 0, R_32F));
  IS(0, dense(&y, 4, on_device->y, R_32F));
  IS(0, sum(handle, &two, x, &one, y));
  to_host(&host, sizeof host);
  IS(0, destroy(handle));
  return wrong + check_floats("the sparse sum", host.y, wanted, 4);
}

static int check_solver(void) {
  HMODULE solver = library("cusolver64_12.dll");
  int wrong = 0;
  IS(1, library("cusolver64_11.dll") != NULL);
  int (*create)(void **) = function(solver, "cusolverDnCreate"), (*destroy)(void *) = function(solver, "cusolverDnDestroy");
  int (*size)(void *, int, int, float *, int, int *) = function(solver, "cusolverDnSpotrf_bufferSize");
  int (*cholesky)(void *, int, int, float *, int, float *, int, int *) = function(solver, "cusolverDnSpotrf");
  void *handle = NULL;
  // The lower part of (4 2, 2 5) is that of (2 0, 1 2) times its transpose.
  float host[4] = {4, 2, 2, 5}, wanted[2] = {2, 1}, *on_device = (float *)memory;
  int count = 0;
  to_device(host, sizeof host);
  IS(0, create(&handle));
  IS(0, size(handle, LOWER, 2, on_device, 2, &count));
  IS(1, count >= 0 && count < COUNT);
  IS(0, cholesky(handle, LOWER, 2, on_device, 2, on_device + 16, count, (int *)(on_device + 8)));
  to_host(host, sizeof host);
  IS(0, destroy(handle));
  IS(1, host[3] == 2);
  return wrong + check_floats("the decomposition", host, wanted, 2);
}

static int check_networks(void) {
  static const char *const names[] = {"cudnn_adv64_9.dll", "cudnn_cnn64_9.dll", "cudnn_graph64_9.dll", "cudnn_ops64_9.dll",
                                      "cudnn_heuristic64_9.dll", "cudnn_engines_precompiled64_9.dll",
                                      "cudnn_engines_runtime_compiled64_9.dll"};
  HMODULE networks = library("cudnn64_9.dll");
  int wrong = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) IS(1, library(names[i]) != NULL);
  int (*create)(void **) = function(networks, "cudnnCreate"), (*destroy)(void *) = function(networks, "cudnnDestroy");
  int (*describe)(void **) = function(networks, "cudnnCreateTensorDescriptor");
  int (*shape)(void *, int, int, int, int, int, int) = function(networks, "cudnnSetTensor4dDescriptor");
  int (*fill)(void *, void *, void *, const void *) = function(networks, "cudnnSetTensor");
  void *handle = NULL, *tensor = NULL;
  float value = 3, host[6] = {0}, wanted[6] = {3, 3, 3, 3, 3, 3};
  to_device(host, sizeof host);
  IS(0, create(&handle));
  IS(0, describe(&tensor));
  IS(0, shape(tensor, NCHW, FLOAT, 1, 1, 2, 3));
  IS(0, fill(handle, tensor, (void *)memory, &value));
  to_host(host, sizeof host);
  IS(0, destroy(handle));
  return wrong + check_floats("the tensor", host, wanted, 6);
}

static int check_management(void) {
  HMODULE management = library("nvml.dll");
  int wrong = 0;
  unsigned count = 0;
  void *device = NULL;
  char name[96] = "";
  int (*begin)(void) = function(management, "nvmlInit_v2"), (*end)(void) = function(management, "nvmlShutdown");
  int (*count_of)(unsigned *) = function(management, "nvmlDeviceGetCount_v2");
  int (*device_of)(unsigned, void **) = function(management, "nvmlDeviceGetHandleByIndex_v2");
  int (*name_of)(void *, char *, unsigned) = function(management, "nvmlDeviceGetName");
  IS(0, begin());
  IS(0, count_of(&count));
  IS(1, count);
  IS(0, device_of(0, &device));
  IS(0, name_of(device, name, sizeof name));
  IS(1, strstr(name, "ZLUDA") != NULL);
  IS(0, end());
  return wrong;
}

int main(void) {
  driver = library("nvcuda.dll");
  if (!driver) return 3;
  int wrong = 0;
  void *context = NULL;
  int (*begin)(unsigned) = function(driver, "cuInit");
  int (*retain)(void **, int) = function(driver, "cuDevicePrimaryCtxRetain");
  int (*set_current)(void *) = function(driver, "cuCtxSetCurrent");
  int (*allocate)(unsigned long long *, size_t) = function(driver, "cuMemAlloc_v2");
  IS(0, begin(0));
  IS(0, retain(&context, 0));
  IS(0, set_current(context));
  IS(0, allocate(&memory, 2 * COUNT * sizeof(float)));
  wrong += check_fft() + check_random() + check_blas() + check_sparse() + check_solver() + check_networks() +
           check_management();
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
