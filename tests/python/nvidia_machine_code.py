"""NVIDIA's cuBLAS at the capability that devices report by default, at which it has machine code and no PTX, against NumPy. Behind
every matrix lie numbers that are none: kernels leave out what is beyond the edge."""

import ctypes as c
import os

os.environ["ZLUDA_CC"] = "8.0"

import numpy as np
from dense_arrays import N, T, Array, ok, wide
from nvidia_packages import call, load

blas = load("cublas")
random = np.random.default_rng(5)
handle = c.c_void_p()
LETTERS = {"S": np.float32, "D": np.float64, "C": np.complex64}


def among_nans(values):
    """In memory that goes on for a while with NaN."""
    all_of_it = np.full(values.size + 4096, np.nan, values.dtype)
    all_of_it[: values.size] = values.flatten("F")
    return Array(all_of_it)


def normal(shape, dtype):
    values = random.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def check(letter, m, n, k, first, second):
    dtype = LETTERS[letter]
    epsilon, alpha, beta = np.finfo(dtype).eps, np.array(1.5, dtype), np.array(-0.5, dtype)
    a = normal((k, m) if first else (m, k), dtype)
    b = normal((n, k) if second else (k, n), dtype)
    before = normal((m, n), dtype)
    A, B, result = map(among_nans, (a, b, before))
    name = f"cublas{letter}gemm_v2"
    ok(call(blas, name, handle, first, second, m, n, k, alpha, A, len(a), B, len(b), beta, result, m), name)
    found = result.get()
    wanted = 1.5 * wide(a.T if first else a) @ wide(b.T if second else b) - 0.5 * wide(before)
    error = np.abs(wide(found[: m * n].reshape((m, n), order="F")) - wanted).max()
    assert error <= 4 * epsilon * (4 * k + 4), (error, letter, m, n, k, first, second)
    assert np.isnan(found[m * n :]).all(), "written behind the result"


ok(blas.cublasCreate_v2(c.byref(handle)))
# A kernel takes seconds to compile: each of these has kernels of its own.
for case in [("S", 16, 16, 16, N, T), ("S", 48, 64, 40, T, N), ("D", 17, 5, 33, N, N), ("C", 17, 5, 33, N, T)]:
    check(*case)
    print(*case, flush=True)
print("PASS nvidia_machine_code")
