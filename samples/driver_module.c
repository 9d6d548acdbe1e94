// sample: libraries = cuda
// The Driver API, linked against libcuda: a module from PTX text, its variables, launches with parameter arrays
// and with a parameter buffer, copies, events.
#include "driver.h"

#include <stddef.h>

static const char ptx[] =
    ".version 6.4\n"
    ".target sm_52\n"
    ".address_size 64\n"
    ".visible .global .align 4 .u32 launches = 7;\n"
    ".visible .const .align 4 .f32 factors[2] = {0f40000000, 0f40400000};\n"
    "// values[i] = values[i] * factors[which] + addend\n"
    ".visible .entry scale(.param .u64 values, .param .u32 count, .param .u8 which, .param .f32 addend)\n"
    "{\n"
    "    .reg .pred %p<3>;\n"
    "    .reg .b32 %r<9>;\n"
    "    .reg .f32 %f<5>;\n"
    "    .reg .b64 %rd<7>;\n"
    "    ld.param.u64 %rd1, [values];\n"
    "    ld.param.u32 %r1, [count];\n"
    "    ld.param.u8 %r2, [which];\n"
    "    ld.param.f32 %f1, [addend];\n"
    "    mov.u32 %r3, %ctaid.x;\n"
    "    mov.u32 %r4, %ntid.x;\n"
    "    mov.u32 %r5, %tid.x;\n"
    "    mad.lo.s32 %r6, %r3, %r4, %r5;\n"
    "    setp.ne.s32 %p1, %r6, 0;\n"
    "    @%p1 bra APPLY;\n"
    "    atom.global.add.u32 %r7, [launches], 1;\n"
    "APPLY:\n"
    "    setp.ge.u32 %p2, %r6, %r1;\n"
    "    @%p2 bra DONE;\n"
    "    mul.wide.u32 %rd2, %r2, 4;\n"
    "    mov.u64 %rd3, factors;\n"
    "    add.s64 %rd4, %rd3, %rd2;\n"
    "    ld.const.f32 %f2, [%rd4];\n"
    "    cvta.to.global.u64 %rd5, %rd1;\n"
    "    mad.wide.s32 %rd6, %r6, 4, %rd5;\n"
    "    ld.global.f32 %f3, [%rd6];\n"
    "    fma.rn.f32 %f4, %f3, %f2, %f1;\n"
    "    st.global.f32 [%rd6], %f4;\n"
    "DONE:\n"
    "    ret;\n"
    "}\n";

enum { COUNT = 1000 };

int main(void) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction scale;
    CUDA(cuInit(0));
    CUDA(cuDeviceGet(&device, 0));
    CUDA(cuDevicePrimaryCtxRetain(&context, device));
    CUDA(cuCtxSetCurrent(context));
    CUDA(cuModuleLoadData(&module, ptx));
    CUDA(cuModuleGetFunction(&scale, module, "scale"));

    CUfunction missing;
    EXPECT(cuModuleGetFunction(&missing, module, "no_such_kernel") == CUDA_ERROR_NOT_FOUND);

    static float values[COUNT], expected[COUNT];
    for (int i = 0; i < COUNT; ++i) expected[i] = values[i] = (float)i / 8;
    CUdeviceptr memory;
    CUDA(cuMemAlloc(&memory, sizeof(values)));
    CUDA(cuMemcpyHtoD(memory, values, sizeof(values)));

    unsigned count = COUNT;
    unsigned char which = 1;
    float addend = 0.5f;
    void *parameters[] = {&memory, &count, &which, &addend};
    CUDA(cuLaunchKernel(scale, (COUNT + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, parameters, NULL));
    for (int i = 0; i < COUNT; ++i) expected[i] = expected[i] * 3 + 0.5f;

    // The same parameters in one buffer, at their natural alignments; another factor. The size is that of the
    // parameters, not of the structure, which is padded.
    struct {
        CUdeviceptr values;
        unsigned count;
        unsigned char which;
        float addend;
    } buffer = {memory, COUNT - 1, 0, -1};
    size_t size = offsetof(__typeof__(buffer), addend) + sizeof(buffer.addend);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    CUstream stream;
    CUevent before, after;
    CUDA(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    CUDA(cuEventCreate(&before, CU_EVENT_DEFAULT));
    CUDA(cuEventCreate(&after, CU_EVENT_DEFAULT));
    CUDA(cuEventRecord(before, stream));
    CUDA(cuLaunchKernel(scale, (COUNT + 63) / 64, 1, 1, 64, 1, 1, 0, stream, NULL, extra));
    CUDA(cuEventRecord(after, stream));
    CUDA(cuEventSynchronize(after));
    float milliseconds = -1;
    CUDA(cuEventElapsedTime(&milliseconds, before, after));
    EXPECT(milliseconds >= 0);
    for (int i = 0; i < COUNT - 1; ++i) expected[i] = expected[i] * 2 - 1;

    // The host changes a factor.
    CUdeviceptr factors, launches;
    size_t bytes;
    CUDA(cuModuleGetGlobal(&factors, &bytes, module, "factors"));
    EXPECT(bytes == 2 * sizeof(float));
    float quarter = 0.25f;
    CUDA(cuMemcpyHtoD(factors, &quarter, sizeof(quarter)));
    CUDA(cuLaunchKernel(scale, (COUNT + 63) / 64, 1, 1, 64, 1, 1, 0, stream, NULL, extra));
    CUDA(cuStreamSynchronize(stream));
    for (int i = 0; i < COUNT - 1; ++i) expected[i] = expected[i] * 0.25f - 1;

    CUDA(cuMemcpyDtoH(values, memory, sizeof(values)));
    for (int i = 0; i < COUNT; ++i)
        if (values[i] != expected[i]) FAIL("values[%d]: got %g, expected %g", i, values[i], expected[i]);
    unsigned launched;
    CUDA(cuModuleGetGlobal(&launches, &bytes, module, "launches"));
    CUDA(cuMemcpyDtoH(&launched, launches, sizeof(launched)));
    EXPECT(launched == 7 + 3);

    int threads;
    CUDA(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
    EXPECT(threads >= 128);
    CUDA(cuMemsetD32(memory, 0x3f800000, COUNT));
    CUDA(cuMemcpyDtoH(values, memory, sizeof(values)));
    EXPECT(values[COUNT - 1] == 1);

    CUDA(cuEventDestroy(before));
    CUDA(cuEventDestroy(after));
    CUDA(cuStreamDestroy(stream));
    CUDA(cuMemFree(memory));
    CUDA(cuModuleUnload(module));
    CUDA(cuDevicePrimaryCtxRelease(device));
    return pass("driver_module");
}
