// Driver calls from a handler of exit(), where libraries such as GCC's offloading runtime release what they hold:
// the context is still current, memory is still there, and what was asked for before is still done.
// sample: libraries = cuda
#include "driver.h"

#include <unistd.h>

static CUcontext context;
static CUdeviceptr memory;

// exit() must not be called again.
#define EXPECT_AT_EXIT(condition)                                                                            \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            printf("FAIL %s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                              \
            fflush(stdout);                                                                                  \
            _exit(1);                                                                                        \
        }                                                                                                    \
    } while (0)

static void at_exit(void) {
    CUcontext current = NULL;
    unsigned words[4] = {0};
    EXPECT_AT_EXIT(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context);
    EXPECT_AT_EXIT(cuMemcpyDtoH(words, memory, sizeof(words)) == CUDA_SUCCESS);
    EXPECT_AT_EXIT(words[0] == 7 && words[3] == 7);
    EXPECT_AT_EXIT(cuMemFree(memory) == CUDA_SUCCESS);
    EXPECT_AT_EXIT(cuCtxPopCurrent(&current) == CUDA_SUCCESS && current == context);
    EXPECT_AT_EXIT(cuCtxPushCurrent(context) == CUDA_SUCCESS);
    EXPECT_AT_EXIT(cuCtxDestroy(context) == CUDA_SUCCESS);
    pass("exit_handler");
}

int main(void) {
    CUdevice device;
    // Each call makes a line.
    setenv("ZLUDA_LOG", "trace,file=/dev/null", 1);
    CUDA(cuInit(0));
    CUDA(cuDeviceGet(&device, 0));
    atexit(at_exit);
    CUDA(cuCtxCreate(&context, NULL, 0, device));
    CUDA(cuMemAlloc(&memory, 16));
    CUDA(cuMemsetD32Async(memory, 7, 4, NULL));
    return 0;
}
