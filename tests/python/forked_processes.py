"""Processes of Python's `multiprocessing`: those that are forked once the driver is initialised are told that they have none,
those that are forked before, or spawned, have one of their own."""

import ctypes
import multiprocessing
import os
import subprocess
import threading

import numpy as np
from cuda.bindings import driver
from driver_calls import check

NO_DRIVER = driver.CUresult.CUDA_ERROR_NOT_INITIALIZED
# Nothing that a child does takes longer.
LIMIT = 120
COUNT = 1000
SQUARES = b"""
.version 7.0
.target sm_50
.address_size 64
.visible .entry squares(.param .u64 words)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [words];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    mul.lo.u32 %r1, %r1, %r1;
    st.global.u32 [%rd2], %r1;
    ret;
}
"""


def squares(count):
    """The squares of the numbers below `count`, by the driver of this process."""
    check(*driver.cuInit(0))
    check(*driver.cuCtxSetCurrent(check(*driver.cuDevicePrimaryCtxRetain(0))))
    module = check(*driver.cuModuleLoadData(SQUARES))
    kernel = check(*driver.cuModuleGetFunction(module, b"squares"))
    words = check(*driver.cuMemAlloc(4 * count))
    check(*driver.cuLaunchKernel(kernel, 1, 1, 1, count, 1, 1, 0, 0, ((int(words),), (ctypes.c_uint64,)), 0))
    back = np.empty(count, np.uint32)
    check(*driver.cuMemcpyDtoH(back.ctypes.data, words, back.nbytes))
    check(*driver.cuMemFree(words))
    check(*driver.cuModuleUnload(module))
    check(*driver.cuDevicePrimaryCtxRelease(0))
    return back


def answers(_):
    """What a process is told that was forked behind the driver's back."""
    return [
        driver.cuInit(0)[0],
        driver.cuDeviceGetCount()[0],
        driver.cuCtxGetCurrent()[0],
        driver.cuCtxSynchronize()[0],
        driver.cuMemAlloc(64)[0],
        driver.cuStreamCreate(0)[0],
        driver.cuModuleLoadData(SQUARES)[0],
        driver.cuDevicePrimaryCtxReset(0)[0],
    ]


def run(method, function, counts):
    """What a pool of two processes makes of some numbers."""
    with multiprocessing.get_context(method).Pool(2) as pool:
        return pool.map_async(function, counts, chunksize=1).get(LIMIT)


def check_squares(found, counts):
    for square, count in zip(found, counts, strict=True):
        np.testing.assert_array_equal(square, np.arange(count, dtype=np.uint32) ** 2)


def keep_busy(stop):
    check(*driver.cuCtxSetCurrent(check(*driver.cuDevicePrimaryCtxRetain(0))))
    while not stop.is_set():
        words = check(*driver.cuMemAlloc(4096))
        check(*driver.cuMemsetD8(words, 1, 4096))
        check(*driver.cuCtxSynchronize())
        check(*driver.cuMemFree(words))
    check(*driver.cuDevicePrimaryCtxRelease(0))


def main():
    counts = [1, 32, 100, 1000]
    # Both a child of a process that has no driver yet and the process itself begin with one.
    check_squares(run("fork", squares, counts), counts)
    check_squares([squares(COUNT)], [COUNT])
    stop = threading.Event()
    threads = [threading.Thread(target=keep_busy, args=(stop,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(5):
        for told in run("fork", answers, range(4)):
            assert told == [NO_DRIVER] * len(told), told
    check_squares(run("spawn", squares, counts), counts)
    check_squares(run("forkserver", squares, counts), counts)
    # A child that leaves by `sys.exit`, with all that runs then.
    child = os.fork()
    if child == 0:
        raise SystemExit(0 if all(code == NO_DRIVER for code in answers(0)) else 1)
    assert os.waitpid(child, 0)[1] == 0
    # A function of the program's in the child, between `fork` and `exec`, which makes Python fork and not spawn.
    subprocess.run(["true"], preexec_fn=lambda: answers(0), check=True)
    stop.set()
    for thread in threads:
        thread.join()
    check_squares([squares(COUNT)], [COUNT])
    print("PASS forked_processes")


# A process that is spawned reads this file, too.
if __name__ == "__main__":
    main()
