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
F32, F16, BF16, COMPUTE_32F, DEFAULT = 0, 2, 14, 68, -1
LETTERS = {"S": np.float32, "D": np.float64, "C": np.complex64}
SHAPES = [(16, 16, 16), (17, 5, 33), (32, 32, 31), (48, 64, 40), (100, 70, 129)]


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


def check(multiply, dtype, epsilon, m, n, k, first, second):
    a = normal((k, m) if first else (m, k), dtype)
    b = normal((n, k) if second else (k, n), dtype)
    before = normal((m, n), dtype)
    result = among_nans(before)
    multiply(first, second, m, n, k, among_nans(a), len(a), among_nans(b), len(b), result)
    found = result.get()
    wanted = 1.5 * wide(a.T if first else a) @ wide(b.T if second else b) - 0.5 * wide(before)
    error = np.abs(wide(found[: m * n].reshape((m, n), order="F")) - wanted).max()
    assert error <= 4 * epsilon * (4 * k + 4), (error, dtype, m, n, k, first, second)
    assert np.isnan(found[m * n :]).all(), "written behind the result"


def by_letter(letter, dtype):
    alpha, beta = np.array(1.5, dtype), np.array(-0.5, dtype)

    def multiply(first, second, m, n, k, a, lda, b, ldb, result):
        name = f"cublas{letter}gemm_v2"
        ok(call(blas, name, handle, first, second, m, n, k, alpha, a, lda, b, ldb, beta, result, m), name)

    return multiply


def halves(first, second, m, n, k, a, lda, b, ldb, result):
    alpha, beta = np.array(1.5, np.float32), np.array(-0.5, np.float32)
    ok(call(
        blas, "cublasGemmEx", handle, first, second, m, n, k, alpha, a, F16, lda, b, F16, ldb, beta, result, F16, m, COMPUTE_32F,
        DEFAULT,
    ))


ok(blas.cublasCreate_v2(c.byref(handle)))
for shape in SHAPES:
    for first in (N, T):
        for second in (N, T):
            for letter, dtype in LETTERS.items():
                check(by_letter(letter, dtype), dtype, np.finfo(dtype).eps, *shape, first, second)
            check(halves, np.float16, np.finfo(np.float16).eps, *shape, first, second)
    print(*shape, flush=True)
print("PASS nvidia_machine_code")
