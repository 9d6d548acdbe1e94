"""A segment of addresses that memory comes to and goes from, as PyTorch's allocator has it, through `cuda.bindings`."""

import ctypes
import os

import numpy as np
from cuda.bindings import driver
from driver_calls import check

UNIT = 2 << 20
INCREMENT = b"""
.version 7.0
.target sm_50
.address_size 64
.visible .entry increment(.param .u64 words)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<3>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    ld.param.u64 %rd1, [words];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    ld.global.u32 %r4, [%rd2];
    add.u32 %r4, %r4, 1;
    st.global.u32 [%rd2], %r4;
    ret;
}
"""


class Segment:
    """Reserved addresses, of which pieces of one size are mapped or not."""

    def __init__(self, pieces, size):
        self.size, self.handles = size, [None] * pieces
        self.base = int(check(*driver.cuMemAddressReserve(pieces * size, 0, 0, 0)))

    def place(self, piece):
        return driver.CUdeviceptr(self.base + piece * self.size)

    def map(self, first, last, shareable=False):
        properties = driver.CUmemAllocationProp()
        properties.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        properties.location.id = 0
        if shareable:
            properties.requestedHandleTypes = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
        unit = check(*driver.cuMemGetAllocationGranularity(
            properties, driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM))
        assert self.size % unit == 0, unit
        for piece in range(first, last):
            self.handles[piece] = check(*driver.cuMemCreate(self.size, properties, 0))
            check(*driver.cuMemMap(self.place(piece), self.size, 0, self.handles[piece], 0))
        access = driver.CUmemAccessDesc()
        access.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        access.location.id = 0
        access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        check(*driver.cuMemSetAccess(self.place(first), (last - first) * self.size, [access], 1))

    def unmap(self, first, last):
        check(*driver.cuCtxSynchronize())
        for piece in range(first, last):
            check(*driver.cuMemUnmap(self.place(piece), self.size))
            check(*driver.cuMemRelease(self.handles[piece]))
            self.handles[piece] = None

    def free(self):
        check(*driver.cuMemAddressFree(self.place(0), len(self.handles) * self.size))


def free_bytes():
    return check(*driver.cuMemGetInfo())[0]


check(*driver.cuInit(0))
check(*driver.cuCtxSetCurrent(check(*driver.cuDevicePrimaryCtxRetain(0))))
attributes = driver.CUdevice_attribute
assert check(*driver.cuDeviceGetAttribute(attributes.CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0)) == 1

before = free_bytes()
segment = Segment(64, UNIT)
segment.map(0, 2)
segment.map(2, 5)
values = np.random.RandomState(7).randint(0, 1 << 30, 5 * UNIT // 4).astype(np.uint32)
check(*driver.cuMemcpyHtoD(segment.place(0), values.ctypes.data, values.nbytes))
assert before - free_bytes() == 5 * UNIT
# A hole, and what lies around it.
segment.unmap(1, 3)
back = np.empty(2 * UNIT // 4, np.uint32)
check(*driver.cuMemcpyDtoH(back.ctypes.data, segment.place(3), back.nbytes))
np.testing.assert_array_equal(back, values[3 * UNIT // 4 :])
assert driver.cuMemsetD8(segment.place(0), 0, 2 * UNIT)[0] == driver.CUresult.CUDA_ERROR_INVALID_VALUE
segment.map(1, 3)
check(*driver.cuMemsetD32(segment.place(0), 5, 5 * UNIT // 4))
check(*driver.cuMemcpyDtoH(back.ctypes.data, segment.place(1), back.nbytes))
assert (back == 5).all()
segment.unmap(0, 5)
segment.free()
assert free_bytes() == before

# A kernel goes across what was mapped at different times.
segment = Segment(5, UNIT)
segment.map(0, 2)
segment.map(2, 5)
check(*driver.cuMemsetD32(segment.place(0), 5, 5 * UNIT // 4))
module = check(*driver.cuModuleLoadData(INCREMENT))
kernel = check(*driver.cuModuleGetFunction(module, b"increment"))
check(*driver.cuLaunchKernel(kernel, 5 * UNIT // 4 // 256, 1, 1, 256, 1, 1, 0, 0,
                             ((segment.base,), (ctypes.c_uint64,)), 0))
check(*driver.cuMemcpyDtoH(back.ctypes.data, segment.place(1), back.nbytes))
assert (back == 6).all()
check(*driver.cuModuleUnload(module))
segment.unmap(0, 5)
segment.free()

# Another process writes what this one has made.
segment = Segment(1, UNIT)
segment.map(0, 1, shareable=True)
check(*driver.cuMemsetD8(segment.place(0), 0, UNIT))
posix = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
descriptor = check(*driver.cuMemExportToShareableHandle(segment.handles[0], posix, 0))
CHILD = """
import sys
from cuda.bindings import driver
from driver_calls import check
check(*driver.cuInit(0))
check(*driver.cuCtxSetCurrent(check(*driver.cuDevicePrimaryCtxRetain(0))))
posix = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
handle = check(*driver.cuMemImportFromShareableHandle(int(sys.argv[1]), posix))
base = check(*driver.cuMemAddressReserve(2 << 20, 0, 0, 0))
check(*driver.cuMemMap(base, 2 << 20, 0, handle, 0))
access = driver.CUmemAccessDesc()
access.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
access.location.id = 0
access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
check(*driver.cuMemSetAccess(base, 2 << 20, [access], 1))
check(*driver.cuMemsetD32(base, 4711, 1 << 19))
check(*driver.cuCtxSynchronize())
"""
import subprocess
import sys

os.set_inheritable(descriptor, True)
folder = os.path.dirname(os.path.abspath(__file__))
path = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
subprocess.run([sys.executable, "-c", CHILD, str(descriptor)], close_fds=False, check=True,
               env={**os.environ, "PYTHONPATH": path})
os.close(descriptor)
back = np.empty(UNIT // 4, np.uint32)
check(*driver.cuMemcpyDtoH(back.ctypes.data, segment.place(0), back.nbytes))
assert (back == 4711).all()
segment.unmap(0, 1)
segment.free()
print("PASS virtual_memory")
