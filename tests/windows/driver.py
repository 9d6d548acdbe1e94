"""The driver by ctypes: a kernel of PTX doubles what lies in the device's memory."""

import ctypes as c
import sys

PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 memory) {
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    ld.param.u64 %rd1, [memory];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3];
    shl.b32 %r3, %r2, 1;
    st.global.u32 [%rd3], %r3;
    ret;
}
"""
COUNT = 256

cuda = c.WinDLL("nvcuda.dll")
wrong = 0


def call(name, *arguments):
    global wrong
    result = getattr(cuda, name)(*arguments)
    if result:
        print(name, result)
        wrong += 1


context, module, kernel, memory = c.c_void_p(), c.c_void_p(), c.c_void_p(), c.c_uint64()
values = (c.c_uint32 * COUNT)(*range(COUNT))
call("cuInit", 0)
call("cuCtxCreate_v2", c.byref(context), 0, 0)
call("cuModuleLoadData", c.byref(module), PTX)
call("cuModuleGetFunction", c.byref(kernel), module, b"twice")
call("cuMemAlloc_v2", c.byref(memory), c.c_size_t(c.sizeof(values)))
call("cuMemcpyHtoD_v2", memory, values, c.c_size_t(c.sizeof(values)))
parameters = (c.c_void_p * 1)(c.addressof(memory))
call("cuLaunchKernel", kernel, 1, 1, 1, COUNT, 1, 1, 0, None, parameters, None)
call("cuMemcpyDtoH_v2", values, memory, c.c_size_t(c.sizeof(values)))
wrong += sum(value != 2 * i for i, value in enumerate(values))
call("cuMemFree_v2", memory)
call("cuCtxDestroy_v2", context)
print(sys.version)
print(wrong, "wrong")
sys.exit(wrong != 0)
