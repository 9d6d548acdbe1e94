// NVML against the driver: devices, their names and memory, and this process among those that use them.

#include "check.h"
#include "device.h"

// As nvml.h has them.
typedef struct {
  unsigned long long total, free, used;
} Memory;
typedef struct {
  unsigned device, memory;
} Load;
typedef struct {
  unsigned pid;
  unsigned long long memory;
  unsigned instances[2];
} Process;
enum { INSUFFICIENT_SIZE = 7, GRAPHICS = 0, MOST = 1000, REPORTED_VERSION = 13000 };

static int check(const char *dll) {
  HMODULE management = library(dll);
  int wrong = 0, driver_count = 0, cuda = 0;
  unsigned count = 0, clock = 0, number = MOST;
  char name[256] = "", driver_name[256] = "", version[80] = "", program[1024] = "";
  void *device = NULL;
  size_t bytes = 0;
  Memory memory = {0};
  Load load = {101, 101};
  static Process processes[MOST];
  int (*driver_count_of)(int *) = function(driver, "cuDeviceGetCount");
  int (*driver_name_of)(char *, int, int) = function(driver, "cuDeviceGetName");
  int (*driver_memory_of)(size_t *, int) = function(driver, "cuDeviceTotalMem_v2");
  int (*begin)(void) = function(management, "nvmlInit_v2");
  int (*end)(void) = function(management, "nvmlShutdown");
  int (*version_of)(char *, unsigned) = function(management, "nvmlSystemGetDriverVersion");
  int (*cuda_of)(int *) = function(management, "nvmlSystemGetCudaDriverVersion_v2");
  int (*program_of)(unsigned, char *, unsigned) = function(management, "nvmlSystemGetProcessName");
  int (*count_of)(unsigned *) = function(management, "nvmlDeviceGetCount_v2");
  int (*device_of)(unsigned, void **) = function(management, "nvmlDeviceGetHandleByIndex_v2");
  int (*name_of)(void *, char *, unsigned) = function(management, "nvmlDeviceGetName");
  int (*memory_of)(void *, Memory *) = function(management, "nvmlDeviceGetMemoryInfo");
  int (*load_of)(void *, Load *) = function(management, "nvmlDeviceGetUtilizationRates");
  int (*clock_of)(void *, int, unsigned *) = function(management, "nvmlDeviceGetMaxClockInfo");
  int (*processes_of)(void *, unsigned *, Process *) = function(management, "nvmlDeviceGetComputeRunningProcesses_v3");

  IS(0, begin());
  IS(0, version_of(version, sizeof version));
  IS(0, strcmp(version, "580.88"));
  IS(0, cuda_of(&cuda));
  IS(REPORTED_VERSION, cuda);
  IS(0, driver_count_of(&driver_count));
  IS(0, count_of(&count));
  IS(1, driver_count);
  IS(1, count);
  IS(0, device_of(0, &device));
  IS(0, driver_name_of(driver_name, sizeof driver_name, 0));
  IS(0, name_of(device, name, sizeof name));
  IS(1, strlen(name) > 0);
  IS(0, strcmp(name, driver_name));
  IS(INSUFFICIENT_SIZE, name_of(device, name, 1));
  IS(0, driver_memory_of(&bytes, 0));
  IS(0, memory_of(device, &memory));
  IS(1, memory.total >= bytes && memory.used + memory.free == memory.total && memory.free > 0 && memory.used > 0);
  IS(0, load_of(device, &load));
  IS(1, load.device <= 100);
  IS(0, clock_of(device, GRAPHICS, &clock));
  IS(1, clock > 100 && clock < 20000);
  IS(0, processes_of(device, &number, processes));
  int users = 0;
  for (unsigned i = 0; i < number; i++)
    users += processes[i].pid == GetCurrentProcessId() && processes[i].memory > 1 << 20;
  IS(1, users);
  IS(0, program_of(GetCurrentProcessId(), program, sizeof program));
  IS(1, strstr(program, "management.exe") != NULL);
  IS(0, end());
  printf("%s: %s, %llu MiB, %u%%, %u MHz, %u processes\n", dll, name, memory.total >> 20, load.device, clock, number);
  return wrong;
}

// The arguments are names of the DLL.
int main(int count, char **arguments) {
  start();
  int wrong = count == 1 ? check("nvml.dll") : 0;
  for (int i = 1; i < count; i++) wrong += check(arguments[i]);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
