// The Driver API, found with dlopen and dlsym: created contexts and their stack, JIT options and logs, PTX that
// is wrong, modules from a file, and the errors that the documentation promises.
#include "driver.h"

#include <dlfcn.h>
#include <unistd.h>

static const char good[] =
    ".version 6.4\n.target sm_52\n.address_size 64\n"
    ".visible .entry store(.param .u64 out, .param .u32 value)\n"
    "{\n"
    "    .reg .b32 %r<2>;\n"
    "    .reg .b64 %rd<2>;\n"
    "    ld.param.u64 %rd1, [out];\n"
    "    ld.param.u32 %r1, [value];\n"
    "    st.global.u32 [%rd1], %r1;\n"
    "    ret;\n"
    "}\n";

// The body does not end.
static const char bad[] =
    ".version 6.4\n.target sm_52\n.address_size 64\n"
    ".visible .entry broken(.param .u64 out)\n"
    "{\n"
    "    .reg .b32 %r<2>;\n"
    "    mov.u32 %r1, 0;\n";

static void *library;

static void *symbol(const char *name) {
    void *address = dlsym(library, name);
    if (!address) FAIL("%s: %s", name, dlerror());
    return address;
}

// Declares a pointer of the type that cuda.h gives the function, by the name that the library exports.
#define FUNCTION(name, exported) __typeof__(&name) p_##name = (__typeof__(&name))symbol(exported)

int main(void) {
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) FAIL("%s", dlerror());
    FUNCTION(cuInit, "cuInit");
    FUNCTION(cuDeviceGet, "cuDeviceGet");
    FUNCTION(cuDeviceGetCount, "cuDeviceGetCount");
    FUNCTION(cuDeviceGetName, "cuDeviceGetName");
    FUNCTION(cuDeviceTotalMem, "cuDeviceTotalMem_v2");
    FUNCTION(cuDeviceGetAttribute, "cuDeviceGetAttribute");
    FUNCTION(cuCtxGetCurrent, "cuCtxGetCurrent");
    FUNCTION(cuCtxSetCurrent, "cuCtxSetCurrent");
    FUNCTION(cuCtxPushCurrent, "cuCtxPushCurrent_v2");
    FUNCTION(cuCtxPopCurrent, "cuCtxPopCurrent_v2");
    FUNCTION(cuCtxGetDevice, "cuCtxGetDevice");
    FUNCTION(cuCtxSynchronize, "cuCtxSynchronize");
    FUNCTION(cuCtxDestroy, "cuCtxDestroy_v2");
    FUNCTION(cuModuleLoad, "cuModuleLoad");
    FUNCTION(cuModuleLoadDataEx, "cuModuleLoadDataEx");
    FUNCTION(cuModuleUnload, "cuModuleUnload");
    FUNCTION(cuModuleGetFunction, "cuModuleGetFunction");
    FUNCTION(cuMemAlloc, "cuMemAlloc_v2");
    FUNCTION(cuMemFree, "cuMemFree_v2");
    FUNCTION(cuMemcpyDtoH, "cuMemcpyDtoH_v2");
    FUNCTION(cuLaunchKernel, "cuLaunchKernel");
    FUNCTION(cuGetErrorName, "cuGetErrorName");
    CUresult (*create_context)(CUcontext *, unsigned, CUdevice) = symbol("cuCtxCreate_v2");

    CUdevice device;
    EXPECT(p_cuDeviceGet(&device, 0) == CUDA_ERROR_NOT_INITIALIZED);
    CUDA(p_cuInit(0));
    int devices, major;
    char name[100];
    size_t memory;
    CUDA(p_cuDeviceGetCount(&devices));
    EXPECT(devices >= 1);
    EXPECT(p_cuDeviceGet(&device, devices) == CUDA_ERROR_INVALID_DEVICE);
    CUDA(p_cuDeviceGet(&device, 0));
    CUDA(p_cuDeviceGetName(name, sizeof(name), device));
    EXPECT(strlen(name) > 0);
    CUDA(p_cuDeviceTotalMem(&memory, device));
    EXPECT(memory > 1 << 20);
    CUDA(p_cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    EXPECT(major >= 5);

    // Without a context nothing can be allocated.
    CUdeviceptr out;
    CUcontext current, first, second;
    CUDA(p_cuCtxGetCurrent(&current));
    EXPECT(current == NULL);
    EXPECT(p_cuMemAlloc(&out, 4) == CUDA_ERROR_INVALID_CONTEXT);

    // A created context is current, and on top of the stack.
    CUDA(create_context(&first, 0, device));
    CUDA(create_context(&second, 0, device));
    CUDA(p_cuCtxGetCurrent(&current));
    EXPECT(current == second);
    CUDA(p_cuCtxPopCurrent(&current));
    EXPECT(current == second);
    CUDA(p_cuCtxGetCurrent(&current));
    EXPECT(current == first);
    CUDA(p_cuCtxPushCurrent(second));
    CUDA(p_cuCtxSetCurrent(first));
    CUDA(p_cuCtxPopCurrent(&current));
    EXPECT(current == first);
    CUDA(p_cuCtxGetCurrent(&current));
    EXPECT(current == first);
    CUdevice of_context = -1;
    CUDA(p_cuCtxGetDevice(&of_context));
    EXPECT(of_context == device);

    // PTX with an error, and the log that says where.
    char log[2000] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof(log)};
    CUmodule module;
    EXPECT(p_cuModuleLoadDataEx(&module, bad, 2, options, values) == CUDA_ERROR_INVALID_PTX);
    EXPECT(strlen(log) > 0);
    const char *error_name;
    CUDA(p_cuGetErrorName(CUDA_ERROR_INVALID_PTX, &error_name));
    EXPECT(strcmp(error_name, "CUDA_ERROR_INVALID_PTX") == 0);

    // The same kernel from memory and from a file.
    CUfunction store;
    unsigned value = 41, result = 0;
    void *parameters[] = {&out, &value};
    CUDA(p_cuMemAlloc(&out, sizeof(result)));
    CUDA(p_cuModuleLoadDataEx(&module, good, 2, options, values));
    CUDA(p_cuModuleGetFunction(&store, module, "store"));
    CUDA(p_cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    CUDA(p_cuMemcpyDtoH(&result, out, sizeof(result)));
    EXPECT(result == 41);
    EXPECT(p_cuLaunchKernel(store, 1, 1, 1, 1 << 20, 1, 1, 0, NULL, parameters, NULL) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(p_cuLaunchKernel(store, 0, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL) == CUDA_ERROR_INVALID_VALUE);
    CUDA(p_cuModuleUnload(module));

    char path[] = "/tmp/driver_context_XXXXXX";
    int file = mkstemp(path);
    EXPECT(file >= 0 && write(file, good, sizeof(good) - 1) == (ssize_t)sizeof(good) - 1 && close(file) == 0);
    CUresult loaded = p_cuModuleLoad(&module, path);
    unlink(path);
    CUDA(loaded);
    CUDA(p_cuModuleGetFunction(&store, module, "store"));
    value = 42;
    CUDA(p_cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    CUDA(p_cuCtxSynchronize());
    CUDA(p_cuMemcpyDtoH(&result, out, sizeof(result)));
    EXPECT(result == 42);
    EXPECT(p_cuModuleLoad(&module, "/nonexistent/file.ptx") == CUDA_ERROR_FILE_NOT_FOUND);

    CUDA(p_cuMemFree(out));
    CUDA(p_cuCtxDestroy(second));
    CUDA(p_cuCtxDestroy(first));
    return pass("driver_context");
}
