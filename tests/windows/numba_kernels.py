"""tests/python/numba_kernels.py by numba 0.61, the last that NumPy 1 serves and that compiles kernels by itself.

It takes a function whose name ends in `_v2` for that without, as CUDA 12 had it. Of CUDA 13's cuCtxGetDevice_v2 that is not
true: it takes two arguments."""

import ctypes
import pathlib
import runpy

from numba.cuda.cudadrv.driver import driver

driver.cuCtxGetDevice = ctypes.WinDLL("nvcuda.dll").cuCtxGetDevice
runpy.run_path(str(pathlib.Path(__file__).parents[1] / "python" / "numba_kernels.py"))
