"""NVIDIA's cuBLAS at the capability that devices report by default, at which it has machine code and no PTX, against NumPy. Behind
every matrix lie numbers that are none: kernels leave out what is beyond the edge."""

import ctypes as c
import os
import time

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


def check_halves():
    """cuBLAS asks for the attributes of hundreds of kernels of a module before it launches one: none of the others is lifted."""
    m, n, k, half, single, compute_32f = 40, 24, 72, 2, 0, 68
    one, zero = np.array(1, np.float32), np.array(0, np.float32)
    a, b = normal((m, k), np.float16), normal((k, n), np.float16)
    result = Array(np.zeros((m, n), np.float32))
    arguments = (Array(a), half, m, Array(b), half, k, zero, result, single, m, compute_32f, -1)
    before = time.process_time()
    ok(call(blas, "cublasGemmEx", handle, N, N, m, n, k, one, *arguments), "cublasGemmEx")
    found = result.get()
    seconds = time.process_time() - before
    error = np.abs(found - wide(a) @ wide(b)).max()
    assert error <= 2.0**-23 * 4 * k, error
    assert seconds < 40, f"{seconds} seconds of processor time"


ok(blas.cublasCreate_v2(c.byref(handle)))
check_halves()
print("halves", flush=True)
# A kernel takes seconds to compile: each of these has kernels of its own.
for case in [("S", 16, 16, 16, N, T), ("S", 48, 64, 40, T, N), ("D", 17, 5, 33, N, N), ("C", 17, 5, 33, N, T)]:
    check(*case)
    print(*case, flush=True)
print("PASS nvidia_machine_code")
