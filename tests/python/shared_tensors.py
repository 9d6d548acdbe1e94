"""Arrays that two processes have at the same time, as PyTorch and CuPy share them: handles of NVIDIA's runtime that cross a
pipe, events that order the work of both, and a memory pool that another process imports."""

import ctypes
import json
import os
import subprocess
import sys

import numpy as np
from cuda.bindings import driver, runtime
from driver_calls import check

INCREMENT = b"""
.version 7.0
.target sm_50
.address_size 64
.visible .entry increment(.param .u64 words, .param .u32 count)
{
    .reg .pred %p1;
    .reg .b32 %r<6>;
    .reg .b64 %rd<3>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    ld.param.u32 %r5, [count];
    setp.ge.u32 %p1, %r1, %r5;
    @%p1 ret;
    ld.param.u64 %rd1, [words];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    ld.global.u32 %r4, [%rd2];
    add.u32 %r4, %r4, 1;
    st.global.u32 [%rd2], %r4;
    ret;
}
"""
COUNTS = [10, 50_000, 3_000_000]
POSIX = runtime.cudaMemAllocationHandleType.cudaMemHandleTypePosixFileDescriptor


def begin():
    """The kernel, in the runtime's context."""
    check(*runtime.cudaSetDevice(0))
    check(*runtime.cudaFree(0))
    module = check(*driver.cuModuleLoadData(INCREMENT))
    return check(*driver.cuModuleGetFunction(module, b"increment"))


def increment(kernel, pointer, count, stream):
    arguments = ((int(pointer), count), (ctypes.c_uint64, ctypes.c_uint32))
    check(*driver.cuLaunchKernel(kernel, (count + 255) // 256, 1, 1, 256, 1, 1, 0, int(stream), arguments, 0))


def to_host(pointer, count):
    values = np.empty(count, np.uint32)
    kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    check(*runtime.cudaMemcpy(values.ctypes.data, pointer, values.nbytes, kind))
    return values


def text_of(handle):
    """The bytes of a handle, which is as C has it."""
    return ctypes.string_at(handle.getPtr(), 64).hex()


def of_text(handle, text):
    ctypes.memmove(handle.getPtr(), bytes.fromhex(text), 64)
    return handle


def child():
    """Increments each array, after the other process's event and before its own, until there are no more lines."""
    kernel = begin()
    stream = check(*runtime.cudaStreamCreateWithFlags(runtime.cudaStreamNonBlocking))
    for line in sys.stdin:
        wanted = json.loads(line)
        if "pool" in wanted:
            pool = check(*runtime.cudaMemPoolImportFromShareableHandle(wanted["pool"], POSIX, 0))
            data = of_text(runtime.cudaMemPoolPtrExportData(), wanted["data"])
            pointer = check(*runtime.cudaMemPoolImportPointer(pool, data))
            increment(kernel, pointer, wanted["count"], stream)
            check(*runtime.cudaFreeAsync(pointer, stream))
            check(*runtime.cudaStreamSynchronize(stream))
        else:
            pointer = check(*runtime.cudaIpcOpenMemHandle(
                of_text(runtime.cudaIpcMemHandle_t(), wanted["memory"]), runtime.cudaIpcMemLazyEnablePeerAccess))
            event = check(*runtime.cudaIpcOpenEventHandle(of_text(runtime.cudaIpcEventHandle_t(), wanted["event"])))
            check(*runtime.cudaStreamWaitEvent(stream, event, 0))
            increment(kernel, pointer, wanted["count"], stream)
            check(*runtime.cudaEventRecord(event, stream))
            if wanted["waits"]:
                check(*runtime.cudaStreamSynchronize(stream))
        print(json.dumps("done"), flush=True)
        if "memory" in wanted:
            sys.stdin.readline()
            check(*runtime.cudaStreamSynchronize(stream))
            check(*runtime.cudaIpcCloseMemHandle(pointer))
            check(*runtime.cudaEventDestroy(event))
            print(json.dumps("closed"), flush=True)


def parent():
    kernel = begin()
    stream = check(*runtime.cudaStreamCreateWithFlags(runtime.cudaStreamNonBlocking))
    flags = runtime.cudaEventDisableTiming | runtime.cudaEventInterprocess
    event = check(*runtime.cudaEventCreateWithFlags(flags))
    event_handle = text_of(check(*runtime.cudaIpcGetEventHandle(event)))

    properties = runtime.cudaMemPoolProps()
    properties.allocType = runtime.cudaMemAllocationType.cudaMemAllocationTypePinned
    properties.handleTypes = POSIX
    properties.location.type = runtime.cudaMemLocationType.cudaMemLocationTypeDevice
    properties.location.id = 0
    pool = check(*runtime.cudaMemPoolCreate(properties))
    descriptor = check(*runtime.cudaMemPoolExportToShareableHandle(pool, POSIX, 0))
    descriptor = int(descriptor)

    other = subprocess.Popen([sys.executable, __file__, "child"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             pass_fds=[descriptor], text=True)
    os.close(descriptor)

    def ask(wanted):
        print(json.dumps(wanted), file=other.stdin, flush=True)
        return json.loads(other.stdout.readline())

    random = np.random.RandomState(3)
    for count in COUNTS:
        for waits in [True, False]:
            values = random.randint(0, 1 << 30, count).astype(np.uint32)
            pointer = check(*runtime.cudaMalloc(values.nbytes))
            kind = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
            check(*runtime.cudaMemcpyAsync(pointer, values.ctypes.data, values.nbytes, kind, stream))
            memory = text_of(check(*runtime.cudaIpcGetMemHandle(pointer)))
            increment(kernel, pointer, count, stream)
            check(*runtime.cudaEventRecord(event, stream))
            assert ask({"memory": memory, "event": event_handle, "count": count, "waits": waits}) == "done"
            # After what the other process has recorded.
            check(*runtime.cudaStreamWaitEvent(stream, event, 0))
            increment(kernel, pointer, count, stream)
            check(*runtime.cudaStreamSynchronize(stream))
            np.testing.assert_array_equal(to_host(pointer, count), values + 3)
            assert ask("close") == "closed"
            check(*runtime.cudaFree(pointer))

    for count in COUNTS:
        pointer = check(*runtime.cudaMallocFromPoolAsync(4 * count, pool, stream))
        check(*runtime.cudaMemsetAsync(pointer, 0x11, 4 * count, stream))
        check(*runtime.cudaStreamSynchronize(stream))
        if count == COUNTS[0]:
            data = text_of(check(*runtime.cudaMemPoolExportPointer(pointer)))
            assert ask({"pool": descriptor, "data": data, "count": count}) == "done"
            assert (to_host(pointer, count) == 0x11111112).all()
        check(*runtime.cudaFreeAsync(pointer, stream))
    check(*runtime.cudaStreamSynchronize(stream))
    check(*runtime.cudaMemPoolDestroy(pool))
    other.stdin.close()
    assert other.wait() == 0


child() if sys.argv[1:] == ["child"] else parent()
