// sample: libraries = cuda
// The Driver API's linker: several modules of PTX that use each other become one, and what does not fit is told.
#include "driver.h"

#define HEAD ".version 6.4\n.target sm_52\n.address_size 64\n"

static const char main_ptx[] = HEAD
    ".extern .func (.param .b32 result) twice(.param .b32 x);\n"
    ".extern .global .u32 offset;\n"
    ".common .global .align 4 .b8 scratch[4];\n"
    ".weak .func (.param .b32 result) choice() { st.param.b32 [result], 100; ret; }\n"
    "// This module's own.\n"
    ".global .u32 counter = 1;\n"
    ".visible .entry run(.param .u64 to)\n"
    "{\n"
    "    .reg .b32 %r<9>; .reg .b64 %rd<3>;\n"
    "    .param .b32 x; .param .b32 y; .param .b32 z;\n"
    "    ld.param.u64 %rd1, [to];\n"
    "    st.param.b32 [x], 20;\n"
    "    call (y), twice, (x);\n"
    "    ld.param.b32 %r1, [y];\n"
    "    ld.global.u32 %r2, [offset];\n"
    "    add.u32 %r3, %r1, %r2;\n"
    "    st.global.u32 [%rd1], %r3;\n"
    "    call (z), choice, ();\n"
    "    ld.param.b32 %r4, [z];\n"
    "    st.global.u32 [%rd1+4], %r4;\n"
    "    ld.global.u32 %r5, [counter];\n"
    "    st.global.u32 [%rd1+8], %r5;\n"
    "    ret;\n"
    "}\n";

static const char library_ptx[] = HEAD
    ".visible .global .u32 offset = 2;\n"
    ".common .global .align 16 .b8 scratch[64];\n"
    ".visible .func (.param .b32 result) choice() { st.param.b32 [result], 200; ret; }\n"
    ".global .u32 counter = 30;\n"
    ".visible .func (.param .b32 result) twice(.param .b32 x)\n"
    "{\n"
    "    .reg .b32 %r<4>;\n"
    "    ld.param.b32 %r1, [x];\n"
    "    ld.global.u32 %r2, [counter];\n"
    "    mad.lo.u32 %r3, %r1, 2, %r2;\n"
    "    st.param.b32 [result], %r3;\n"
    "    ret;\n"
    "}\n";

static char errors[1024];

static CUlinkState begin(void) {
    static CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    static void *values[2];
    values[0] = errors;
    values[1] = (void *)sizeof(errors);
    memset(errors, 'x', sizeof(errors));
    CUlinkState state;
    CUDA(cuLinkCreate(2, options, values, &state));
    return state;
}

static CUresult add(CUlinkState state, const char *name, const char *text) {
    return cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)text, strlen(text) + 1, name, 0, NULL, NULL);
}

int main(void) {
    CUdevice device;
    CUcontext context;
    CUDA(cuInit(0));
    CUDA(cuDeviceGet(&device, 0));
    CUDA(cuDevicePrimaryCtxRetain(&context, device));
    CUDA(cuCtxSetCurrent(context));

    void *image;
    size_t size;
    CUlinkState state = begin();
    CUDA(add(state, "main.ptx", main_ptx));
    CUDA(add(state, "library.ptx", library_ptx));
    CUDA(cuLinkComplete(state, &image, &size));
    EXPECT(size > 0);
    CUmodule module;
    CUDA(cuModuleLoadData(&module, image));
    CUDA(cuLinkDestroy(state));

    CUfunction run;
    CUdeviceptr to, scratch;
    unsigned values[3];
    CUDA(cuModuleGetFunction(&run, module, "run"));
    CUDA(cuMemAlloc(&to, sizeof(values)));
    void *parameters[] = {&to};
    CUDA(cuLaunchKernel(run, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    CUDA(cuMemcpyDtoH(values, to, sizeof(values)));
    EXPECT(values[0] == 20 * 2 + 30 + 2);
    EXPECT(values[1] == 200);
    EXPECT(values[2] == 1);
    CUDA(cuModuleGetGlobal(&scratch, &size, module, "scratch"));
    EXPECT(size == 64 && scratch % 16 == 0);
    CUDA(cuMemFree(to));
    CUDA(cuModuleUnload(module));

    // What nobody defines, and what two define.
    state = begin();
    CUDA(add(state, "main.ptx", main_ptx));
    EXPECT(cuLinkComplete(state, &image, &size) == CUDA_ERROR_INVALID_SOURCE);
    EXPECT(strstr(errors, "'twice'") && strstr(errors, "'offset'") && strstr(errors, "'main.ptx'"));
    CUDA(cuLinkDestroy(state));
    state = begin();
    CUDA(add(state, "first", library_ptx));
    EXPECT(add(state, "second", library_ptx) == CUDA_ERROR_INVALID_SOURCE);
    EXPECT(strstr(errors, "'twice' in 'second', first defined in 'first'"));
    CUDA(cuLinkDestroy(state));
    // Text that is wrong is left out, with its line.
    state = begin();
    EXPECT(add(state, "wrong", HEAD ".entry k()\n{\n    bra nowhere;\n}\n") == CUDA_ERROR_INVALID_PTX);
    EXPECT(strstr(errors, "nowhere") && strstr(errors, "line 6"));
    CUDA(cuLinkDestroy(state));

    CUDA(cuDevicePrimaryCtxRelease(device));
    return pass("driver_link");
}
