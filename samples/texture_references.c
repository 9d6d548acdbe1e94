// sample: libraries = cuda
// Texture and surface references of a module, which the driver API binds: by name, by the address of the
// variable, and with a sampler of its own. Point and linear filters, arrays and linear memory.

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                          \
    do {                                                                     \
        CUresult error = (call);                                             \
        if (error != CUDA_SUCCESS) {                                         \
            printf("FAIL texture_references: %s: error %d\n", #call, error); \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

static void expect(int condition, const char *what) {
    if (!condition) {
        printf("FAIL texture_references: %s\n", what);
        exit(1);
    }
}

static const char PTX[] =
    ".version 6.4\n.target sm_75\n.address_size 64\n"
    ".global .texref image;\n.global .texref numbers;\n.global .surfref canvas;\n"
    ".visible .entry sample(.param .u64 out)\n{\n"
    " .reg .b64 %rd<4>; .reg .f32 %f<8>; .reg .b32 %r<8>;\n"
    " ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 16, %rd1;\n"
    // x = thread / 2, y = 1
    " cvt.rn.f32.u32 %f1, %r1; mul.f32 %f1, %f1, 0f3F000000; mov.f32 %f2, 0f3F800000;\n"
    " tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [image, {%f1, %f2}]; st.global.f32 [%rd2], %f3;\n"
    " shl.b32 %r2, %r1, 2; mov.u32 %r3, 1; sust.b.2d.b32.zero [canvas, {%r2, %r3}], %f3;\n"
    " mov.u64 %rd3, image; tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd3, {%f1, %f2}];\n"
    " st.global.f32 [%rd2+4], %f3;\n"
    " tex.1d.v4.s32.s32 {%r4, %r5, %r6, %r7}, [numbers, {%r1}]; st.global.u32 [%rd2+8], %r4;\n"
    " txq.width.b32 %r5, [image]; st.global.u32 [%rd2+12], %r5;\n"
    " ret;\n}\n";

enum { W = 8, H = 4, THREADS = 20 };

int main(void) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&module, PTX));
    CHECK(cuModuleGetFunction(&function, module, "sample"));

    CUtexref image, numbers, none;
    CUsurfref canvas;
    CHECK(cuModuleGetTexRef(&image, module, "image"));
    CHECK(cuModuleGetTexRef(&numbers, module, "numbers"));
    CHECK(cuModuleGetSurfRef(&canvas, module, "canvas"));
    expect(cuModuleGetTexRef(&none, module, "nothing") == CUDA_ERROR_NOT_FOUND, "a name that is not there");
    expect(cuModuleGetTexRef(&none, module, "canvas") == CUDA_ERROR_NOT_FOUND, "a surface is no texture");

    float texels[H][W];
    for (int i = 0; i < W * H; i++) texels[i / W][i % W] = (float)(i * 16);
    CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = W, .Height = H, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1,
                                     .Flags = CUDA_ARRAY3D_SURFACE_LDST};
    CUarray array, drawn, bound;
    CHECK(cuArray3DCreate(&array, &shape));
    shape.Width = THREADS;
    CHECK(cuArray3DCreate(&drawn, &shape));
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = texels, .srcPitch = W * 4,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = array, .WidthInBytes = W * 4, .Height = H};
    CHECK(cuMemcpy2D(&copy));
    CHECK(cuTexRefSetArray(image, array, CU_TRSA_OVERRIDE_FORMAT));
    CHECK(cuTexRefGetArray(&bound, image));
    expect(bound == array, "the array that was bound");
    CHECK(cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_CLAMP));
    CHECK(cuTexRefSetAddressMode(image, 1, CU_TR_ADDRESS_MODE_CLAMP));
    CHECK(cuSurfRefSetArray(canvas, drawn, 0));

    int squares[THREADS];
    for (int i = 0; i < THREADS; i++) squares[i] = i * i;
    CUdeviceptr memory, out;
    CHECK(cuMemAlloc(&memory, sizeof squares));
    CHECK(cuMemcpyHtoD(memory, squares, sizeof squares));
    size_t offset = 1;
    CHECK(cuTexRefSetFormat(numbers, CU_AD_FORMAT_SIGNED_INT32, 1));
    CHECK(cuTexRefSetFlags(numbers, CU_TRSF_READ_AS_INTEGER));
    CHECK(cuTexRefSetAddress(&offset, numbers, memory, sizeof squares));
    expect(offset == 0, "memory that is aligned");

    CHECK(cuMemAlloc(&out, THREADS * 16));
    for (int linear = 0; linear < 2; linear++) {
        CHECK(cuTexRefSetFilterMode(image, linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT));
        void *parameters[] = {&out};
        CHECK(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL));
        struct { float by_name, by_address; int number, width; } got[THREADS];
        CHECK(cuMemcpyDtoH(got, out, sizeof got));
        float row[THREADS];
        CUDA_MEMCPY2D back = {.srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = drawn, .srcY = 1,
                              .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = row, .WidthInBytes = sizeof row, .Height = 1};
        CHECK(cuMemcpy2D(&back));
        for (int i = 0; i < THREADS; i++) {
            // y = 1 lies in row 1, and on the edge between rows 0 and 1.
            float x = i * 0.5f, want;
            if (linear) {
                float at = x - 0.5f < 0 ? 0 : x - 0.5f > W - 1 ? W - 1 : x - 0.5f;
                want = at * 16 + W * 16 / 2;
            } else {
                want = texels[1][i / 2 < W ? i / 2 : W - 1];
            }
            expect(got[i].by_name == want, "a reference by its name");
            expect(got[i].by_address == want, "a reference by its address");
            expect(got[i].number == i * i, "a reference to memory");
            expect(got[i].width == W, "the width of a texture");
            expect(row[i] == want, "a surface reference");
        }
    }
    CHECK(cuModuleUnload(module));
    CHECK(cuArrayDestroy(array));
    CHECK(cuArrayDestroy(drawn));
    printf("PASS texture_references\n");
    return 0;
}
