// Every function through cuGetProcAddress: names with their versions, per-thread default streams, the status of
// names that do not exist or are too new.
#include "driver.h"

#include <dlfcn.h>

#include <cudaTypedefs.h>

static PFN_cuGetProcAddress_v12000 get_proc_address;

static void *function(const char *name, int version, cuuint64_t flags) {
    void *address = NULL;
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    CUresult result = get_proc_address(name, &address, version, flags, &status);
    if (result != CUDA_SUCCESS || status != CU_GET_PROC_ADDRESS_SUCCESS || !address)
        FAIL("%s: error %d, status %d", name, (int)result, (int)status);
    return address;
}

// Declares `name`, found under the name and the version that its type has.
#define FUNCTION(name, symbol, version)                                                                      \
    PFN_##symbol##_v##version name = (PFN_##symbol##_v##version)function(#symbol, version, CU_GET_PROC_ADDRESS_DEFAULT)

static const char ptx[] =
    ".version 6.4\n.target sm_52\n.address_size 64\n"
    ".visible .entry square(.param .u64 values)\n"
    "{\n"
    "    .reg .b32 %r<4>;\n"
    "    .reg .b64 %rd<4>;\n"
    "    ld.param.u64 %rd1, [values];\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    mul.wide.u32 %rd2, %r1, 4;\n"
    "    add.u64 %rd3, %rd1, %rd2;\n"
    "    mul.lo.u32 %r2, %r1, %r1;\n"
    "    st.global.u32 [%rd3], %r2;\n"
    "    ret;\n"
    "}\n";

int main(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) FAIL("%s", dlerror());
    get_proc_address = (PFN_cuGetProcAddress_v12000)dlsym(library, "cuGetProcAddress_v2");
    if (!get_proc_address) FAIL("%s", dlerror());

    FUNCTION(init, cuInit, 2000);
    FUNCTION(driver_version, cuDriverGetVersion, 2020);
    FUNCTION(device_get, cuDeviceGet, 2000);
    FUNCTION(retain, cuDevicePrimaryCtxRetain, 7000);
    FUNCTION(set_current, cuCtxSetCurrent, 4000);
    FUNCTION(load, cuModuleLoadData, 2000);
    FUNCTION(get_function, cuModuleGetFunction, 2000);
    FUNCTION(allocate, cuMemAlloc, 3020);
    FUNCTION(release, cuMemFree, 3020);

    // Asynchronous functions have a form for the default stream of a thread.
    const cuuint64_t per_thread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    void *launch_legacy = function("cuLaunchKernel", 4000, CU_GET_PROC_ADDRESS_LEGACY_STREAM);
    void *launch_per_thread = function("cuLaunchKernel", 7000, per_thread);
    EXPECT(launch_legacy != launch_per_thread);
    EXPECT(launch_per_thread == dlsym(library, "cuLaunchKernel_ptsz"));
    EXPECT((void *)allocate == dlsym(library, "cuMemAlloc_v2"));
    PFN_cuMemcpyDtoHAsync_v7000_ptsz copy = (PFN_cuMemcpyDtoHAsync_v7000_ptsz)function("cuMemcpyDtoHAsync", 7000, per_thread);
    PFN_cuStreamSynchronize_v7000_ptsz synchronize =
        (PFN_cuStreamSynchronize_v7000_ptsz)function("cuStreamSynchronize", 7000, per_thread);

    // What does not exist, and what is newer than the version asked for.
    void *address = &address;
    CUdriverProcAddressQueryResult status;
    EXPECT(get_proc_address("cuNoSuchFunction", &address, 13000, 0, &status) == CUDA_ERROR_NOT_FOUND ||
           status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    EXPECT(address == NULL);
    EXPECT(status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    get_proc_address("cuLaunchKernelEx", &address, 11000, 0, &status);
    EXPECT(status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);

    int version, device;
    CUDA(driver_version(&version));
    EXPECT(version >= 12000);
    CUDA(init(0));
    CUDA(device_get(&device, 0));
    CUcontext context;
    CUDA(retain(&context, device));
    CUDA(set_current(context));
    CUmodule module;
    CUfunction square;
    CUdeviceptr values;
    CUDA(load(&module, ptx));
    CUDA(get_function(&square, module, "square"));
    CUDA(allocate(&values, 64 * sizeof(unsigned)));
    void *parameters[] = {&values};
    CUDA(((PFN_cuLaunchKernel_v7000_ptsz)launch_per_thread)(square, 1, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL));
    unsigned host[64];
    CUDA(copy(host, values, sizeof(host), NULL));
    CUDA(synchronize(NULL));
    for (unsigned i = 0; i < 64; ++i)
        if (host[i] != i * i) FAIL("values[%u]: got %u, expected %u", i, host[i], i * i);
    CUDA(release(values));
    return pass("proc_address");
}
