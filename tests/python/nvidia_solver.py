"""NVIDIA's cuSOLVER against NumPy: LU, QR and Cholesky decompositions, eigenvalues and singular values, real and complex."""

import ctypes as c

import numpy as np
from dense_arrays import KINDS, LOWER, REAL, Array, N, ok, wide
from nvidia_packages import call, load

solver = load("cusolver")
random = np.random.default_rng(5)
handle = c.c_void_p()
SIZE, TALL, VECTORS = 100, 140, 1


def normal(shape, dtype):
    values = random.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def work(name, dtype, *arguments):
    """The workspace of a function, and its size in elements."""
    length = c.c_int()
    ok(call(solver, f"cusolverDn{name}_bufferSize", handle, *arguments, c.byref(length)), name)
    return Array(np.zeros(length.value + 1, dtype)), length.value


def run(name, *arguments):
    """A call that ends with a place for information."""
    info = Array(np.full(1, 77, np.int32))
    ok(call(solver, f"cusolverDn{name}", handle, *arguments, info), name)
    assert info.get()[0] == 0, name


def close(found, wanted, dtype, *what):
    error = np.abs(wide(found) - wanted).max() / np.abs(wanted).max()
    assert error <= 10 * SIZE * np.finfo(dtype).eps, (error, *what)


def check_lu(letter, dtype):
    a = normal((SIZE, SIZE), dtype)
    factors, pivots = Array(a), Array(np.zeros(SIZE, np.int32))
    buffer, _ = work(f"{letter}getrf", dtype, SIZE, SIZE, factors, SIZE)
    run(f"{letter}getrf", SIZE, SIZE, factors, SIZE, buffer, pivots)
    both, rows = wide(factors.get()), np.arange(SIZE)
    for i, other in enumerate(pivots.get()):
        rows[[i, other - 1]] = rows[[other - 1, i]]
    close((np.tril(both, -1) + np.eye(SIZE)) @ np.triu(both), wide(a)[rows], dtype, "getrf", letter)
    b = normal((SIZE, 3), dtype)
    x = Array(b)
    run(f"{letter}getrs", N, SIZE, 3, factors, SIZE, pivots, x, SIZE)
    # As small as what the factors' roundings leave.
    size = np.linalg.norm(wide(a)) * np.linalg.norm(wide(x.get()))
    assert np.linalg.norm(wide(a) @ wide(x.get()) - wide(b)) <= 10 * np.finfo(dtype).eps * size, ("getrs", letter)
    # Without pivots, of a matrix that needs none.
    a = (a + 30 * np.eye(SIZE)).astype(dtype)
    factors = Array(a)
    run(f"{letter}getrf", SIZE, SIZE, factors, SIZE, buffer, None)
    both = wide(factors.get())
    close((np.tril(both, -1) + np.eye(SIZE)) @ np.triu(both), wide(a), dtype, "getrf without pivots", letter)


def check_qr(letter, dtype):
    a = normal((TALL, SIZE), dtype)
    factors, scales = Array(a), Array(np.zeros(SIZE, dtype))
    buffer, length = work(f"{letter}geqrf", dtype, TALL, SIZE, factors, TALL)
    run(f"{letter}geqrf", TALL, SIZE, factors, TALL, scales, buffer, length)
    right = np.triu(wide(factors.get())[:SIZE])
    name = f"{letter}{'un' if letter in 'CZ' else 'or'}gqr"
    buffer, length = work(name, dtype, TALL, SIZE, SIZE, factors, TALL, scales)
    run(name, TALL, SIZE, SIZE, factors, TALL, scales, buffer, length)
    left = wide(factors.get())
    close(left @ right, wide(a), dtype, "geqrf", letter)
    close(left.conj().T @ left, np.eye(SIZE), dtype, "unitary", letter)


def check_cholesky(letter, dtype):
    a = normal((SIZE, SIZE), dtype)
    a = (a @ a.conj().T + SIZE * np.eye(SIZE)).astype(dtype)
    factors = Array(a)
    buffer, length = work(f"{letter}potrf", dtype, LOWER, SIZE, factors, SIZE)
    run(f"{letter}potrf", LOWER, SIZE, factors, SIZE, buffer, length)
    half = np.tril(wide(factors.get()))
    close(half @ half.conj().T, wide(a), dtype, "potrf", letter)


def check_eigenvalues(letter, dtype):
    a = normal((SIZE, SIZE), dtype)
    a = (a + a.conj().T).astype(dtype)
    vectors, values = Array(a), Array(np.zeros(SIZE, REAL[letter]))
    name = f"{letter}{'heevd' if letter in 'CZ' else 'syevd'}"
    buffer, length = work(name, dtype, VECTORS, LOWER, SIZE, vectors, SIZE, values)
    run(name, VECTORS, LOWER, SIZE, vectors, SIZE, values, buffer, length)
    close(values.get(), np.linalg.eigvalsh(wide(a)), dtype, name)
    v = wide(vectors.get())
    close(v * wide(values.get()) @ v.conj().T, wide(a), dtype, name, "vectors")


def check_singular_values(letter, dtype):
    a = normal((TALL, SIZE), dtype)
    matrix, values = Array(a), Array(np.zeros(SIZE, REAL[letter]))
    left, right = Array(np.zeros((TALL, TALL), dtype)), Array(np.zeros((SIZE, SIZE), dtype))
    buffer, length = work(f"{letter}gesvd", dtype, TALL, SIZE)
    rest = Array(np.zeros(SIZE, REAL[letter]))
    all_ = c.c_char(b"A")
    places = (matrix, TALL, values, left, TALL, right, SIZE, buffer, length, rest)
    run(f"{letter}gesvd", all_, all_, TALL, SIZE, *places)
    close(values.get(), np.linalg.svd(wide(a), compute_uv=False), dtype, "gesvd", letter)
    u, v = wide(left.get()), wide(right.get())
    close(u[:, :SIZE] * wide(values.get()) @ v, wide(a), dtype, "gesvd", letter, "vectors")


ok(solver.cusolverDnCreate(c.byref(handle)))
# Each type has kernels of its own, which take half a minute to compile for each of these.
checks = [check_lu, check_qr, check_cholesky, check_eigenvalues, check_singular_values]
for letter, check in zip("DCCDC", checks):
    check(letter, KINDS[letter])
ok(solver.cusolverDnDestroy(handle))
print("PASS nvidia_solver")
