"""NVIDIA's cuBLAS against NumPy: vectors, products and triangular systems in four types, products of 16 bits, batches."""

import ctypes as c

import numpy as np
from dense_arrays import FEW, KINDS, Array, N, T, ok, wide
from nvidia_packages import call, load

blas = load("cublas")
random = np.random.default_rng(1)
handle = c.c_void_p()
F32, F16, BF16, COMPUTE_32F = 0, 2, 14, 68
LEFT, LOWER, NON_UNIT = 0, 0, 0


def run(name, *arguments):
    ok(call(blas, f"cublas{name}", handle, *arguments), name)


def normal(shape, dtype):
    values = random.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def close(found, wanted, epsilon, terms, *what):
    """Within a few roundings of sums of so many terms, of numbers about 1."""
    error = np.abs(wide(np.asarray(found)) - wanted).max()
    assert error <= 4 * epsilon * terms, (error, *what)


def check_products(letter, dtype):
    epsilon, alpha, beta = np.finfo(dtype).eps, np.array(1.5, dtype), np.array(-0.5, dtype)
    for m, n, k in [(33, 17, 40)] if FEW else [(1, 1, 1), (64, 64, 64), (33, 17, 40), (200, 100, 300)]:
        for transposed in (N, T):
            a, b = normal((k, m) if transposed else (m, k), dtype), normal((k, n), dtype)
            before = normal((m, n), dtype)
            result = Array(before)
            run(f"{letter}gemm_v2", transposed, N, m, n, k, alpha, Array(a), len(a), Array(b), k, beta, result, m)
            wanted = 1.5 * wide(a.T if transposed else a) @ wide(b) - 0.5 * wide(before)
            close(result.get(), wanted, epsilon, 4 * k + 4, letter, m, n, k, transposed)


def check_vectors(letter, dtype):
    n, epsilon = 1000, np.finfo(dtype).eps
    x, y, alpha = normal(n, dtype), normal(n, dtype), np.array(2.5, dtype)
    X, Y = Array(x), Array(y)
    run(f"{letter}axpy_v2", n, alpha, X, 1, Y, 1)
    close(Y.get(), 2.5 * wide(x) + wide(y), epsilon, 4, "axpy", letter)
    answer = np.zeros((), dtype)
    run(f"{letter}dot{'u' if letter in 'CZ' else ''}_v2", n, X, 1, Array(y), 1, answer)
    close(answer, wide(x) @ wide(y), epsilon, n, "dot", letter)
    length = np.zeros((), np.abs(x).dtype)
    run({"S": "S", "D": "D", "C": "Sc", "Z": "Dz"}[letter] + "nrm2_v2", n, X, 1, length)
    close(length, np.linalg.norm(wide(x)), epsilon, 100, "nrm2", letter)
    place = np.zeros((), np.int32)
    run(f"I{letter.lower()}amax_v2", n, X, 1, place)
    assert place == np.argmax(np.abs(x.real) + np.abs(x.imag)) + 1, letter
    m = 70
    a, before = normal((m, 50), dtype), normal(m, dtype)
    result = Array(before)
    run(f"{letter}gemv_v2", N, m, 50, alpha, Array(a), m, X, 1, alpha, result, 1)
    close(result.get(), 2.5 * (wide(a) @ wide(x[:50]) + wide(before)), epsilon, 400, "gemv", letter)


def check_triangles(letter, dtype):
    n, epsilon, one = 60, np.finfo(dtype).eps, np.array(1, dtype)
    a = (np.tril(normal((n, n), dtype)) / 8 + 4 * np.eye(n)).astype(dtype)
    b = normal((n, 7), dtype)
    result = Array(b)
    run(f"{letter}trsm_v2", LEFT, LOWER, N, NON_UNIT, n, 7, one, Array(a), n, result, n)
    close(wide(a) @ wide(result.get()), wide(b), epsilon, 10 * n, "trsm", letter)
    result = Array(np.zeros((n, n), dtype))
    run(f"{letter}syrk_v2", LOWER, N, n, 7, one, Array(b), n, np.array(0, dtype), result, n)
    close(np.tril(result.get()), np.tril(wide(b) @ wide(b).T), epsilon, 40, "syrk", letter)


def halves(values, type):
    """Numbers of 16 bits, and what they are in double precision."""
    if type == F16:
        kept = values.astype(np.float16)
        return kept, kept.astype(np.float64)
    kept = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return kept, (kept.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def check_halves():
    m, n, k = 40, 24, 72
    one, zero = np.array(1, np.float32), np.array(0, np.float32)
    for type in (F16, BF16):
        (a, wide_a), (b, wide_b) = halves(normal((m, k), np.float64), type), halves(normal((k, n), np.float64), type)
        result = Array(np.zeros((m, n), np.float32))
        arguments = (Array(a), type, m, Array(b), type, k, zero, result, F32, m, COMPUTE_32F, -1)
        run("GemmEx", N, N, m, n, k, one, *arguments)
        close(result.get(), wide_a @ wide_b, 2.0**-23, 4 * k, "GemmEx", type)


def check_batches():
    m, n, k, count = 20, 30, 25, 3
    a, b = (normal(shape, np.float32) for shape in ((m, k, count), (k, n, count)))
    result, one, zero = Array(np.zeros((m, n, count), np.float32)), np.array(1, np.float32), np.array(0, np.float32)
    long = c.c_longlong
    arguments = (Array(a), m, long(m * k), Array(b), k, long(k * n), zero, result, m, long(m * n), count)
    run("SgemmStridedBatched", N, N, m, n, k, one, *arguments)
    wanted = np.einsum("mkc,knc->mnc", wide(a), wide(b))
    close(result.get(), wanted, 2.0**-23, 4 * k, "SgemmStridedBatched")


ok(blas.cublasCreate_v2(c.byref(handle)))
for letter, dtype in list(KINDS.items())[: 1 if FEW else 4]:
    check_products(letter, dtype)
    if not FEW:
        check_vectors(letter, dtype)
        check_triangles(letter, dtype)
if not FEW:
    check_halves()
    check_batches()
ok(blas.cublasDestroy_v2(handle))
print("PASS nvidia_blas")
