"""The driver, NumPy's matrices in its memory, and the letters by which BLAS and LAPACK name types: for the programs of cuBLAS
and cuSOLVER."""

import ctypes as c
import os

# NVIDIA's libraries choose their PTX by it.
os.environ.setdefault("ZLUDA_CC", "13.0")
FEW = os.environ.get("ZLUDA_DEVICE", "").startswith("emu")

import numpy as np

staged = os.environ["LD_LIBRARY_PATH"].split(":")[0]
driver = c.CDLL("libcuda.so.1")
KINDS = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}
REAL = {"S": np.float32, "D": np.float64, "C": np.float32, "Z": np.float64}
N, T, C = range(3)
LOWER, UPPER = range(2)


def ok(status, *what):
    assert status == 0, (status, *what)


context = c.c_void_p()
ok(driver.cuInit(0))
ok(driver.cuDevicePrimaryCtxRetain(c.byref(context), 0))
ok(driver.cuCtxSetCurrent(context))


def host(values):
    return values.ctypes.data_as(c.c_void_p)


class Array:
    """A NumPy array's copy in device memory, in the order of Fortran."""

    def __init__(self, values):
        self.like = np.asfortranarray(values)
        self.address = c.c_void_p()
        ok(driver.cuMemAlloc_v2(c.byref(self.address), c.c_size_t(max(1, self.like.nbytes))))
        if self.like.nbytes:
            ok(driver.cuMemcpyHtoD_v2(self.address, host(self.like), c.c_size_t(self.like.nbytes)))

    def get(self):
        ok(driver.cuCtxSynchronize())
        values = np.empty_like(self.like)
        if values.nbytes:
            ok(driver.cuMemcpyDtoH_v2(host(values), self.address, c.c_size_t(values.nbytes)))
        return values

    def __del__(self):
        driver.cuMemFree_v2(self.address)


def wide(values):
    return values.astype(np.complex128 if np.iscomplexobj(values) else np.float64)
