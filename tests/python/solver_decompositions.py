"""ZLUDA's own cuSOLVER against NumPy in double precision, and its statuses against those of NVIDIA's cuSOLVER."""

import ctypes as c
import os

import numpy as np
from dense_arrays import (
    C, FEW, KINDS, LOWER, REAL, UPPER, Array, N, T, driver, host, ok, staged, wide,
)  # fmt: skip

solver = c.CDLL(os.path.join(staged, "libraries/libcusolver.so.12"))
random = np.random.default_rng(11)
TYPES = {"S": 0, "D": 1, "C": 4, "Z": 5}
SUCCESS, NOT_INITIALIZED, INVALID_VALUE = 0, 1, 3
LEFT, RIGHT = range(2)
VECTORS = 1
ALL, BY_NUMBER, BY_VALUE = 1001, 1002, 1003
SIZES = [1, 2, 7, 33, 70] if not FEW else [5]


def call(name, *arguments, library=solver):
    """A call of a function with Python's numbers, addresses and arrays for arguments; sizes of 64 bits fit."""

    def plain(value):
        if isinstance(value, Array):
            return value.address
        return value

    return getattr(library, name)(*map(plain, arguments))


def create(library=solver):
    handle = c.c_void_p()
    ok(library.cusolverDnCreate(c.byref(handle)))
    return handle


handle = create()


def run(name, *arguments, info=0):
    """A call that ends with a place for information; the information."""
    place = Array(np.full(1, 77, np.int32))
    ok(call("cusolverDn" + name, handle, *arguments, place), name)
    found = place.get()[0]
    assert info is None or found == info, (name, found)
    return found


def workspace(name, *arguments):
    """The workspace of a function, and its size, as the function asks for them."""
    count = c.c_int(-7)
    ok(call(f"cusolverDn{name}_bufferSize", handle, *arguments, c.byref(count)), name)
    assert count.value > 0
    return count.value


def wide64(*arguments):
    """Arguments of a function whose sizes have 64 bits; other numbers stay in the lower half."""
    return [c.c_int64(value) if isinstance(value, int) else value for value in arguments]


def xrun(name, *arguments, info=0):
    """A call of a function with workspaces on the device and on the host."""
    bytes_ = [c.c_size_t(), c.c_size_t()]
    ok(call(f"cusolverDnX{name}_bufferSize", handle, *arguments, *map(c.byref, bytes_)), name)
    place = Array(np.zeros(1, np.int32))
    ok(call("cusolverDnX" + name, handle, *arguments, None, bytes_[0], None, bytes_[1], place), name)
    found = place.get()[0]
    assert found == info, (name, found)


def normal(shape, dtype):
    values = random.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def close(found, wanted, dtype, terms, *what):
    """Within a few roundings of sums of so many terms, relative to the norm."""
    found, wanted = wide(np.asarray(found)), wide(np.asarray(wanted))
    error, norm = np.linalg.norm(found - wanted), max(1.0, np.linalg.norm(wanted))
    assert error <= 10 * np.finfo(dtype).eps * (terms + 2) * norm, (error / norm, *what)


def unitary(q, dtype, *what):
    q = wide(q)
    close(q.conj().T @ q, np.eye(q.shape[1]), dtype, q.shape[0], "unitary", *what)


def padded(matrix, more=3):
    """A matrix with rows below it that are not its own."""
    return np.vstack([matrix, np.full((more, matrix.shape[1]), 77, matrix.dtype)])


def definite(n, dtype):
    a = normal((n, n), dtype)
    return (a @ a.conj().T + n * np.eye(n)).astype(dtype)


def hermitian(n, dtype):
    a = normal((n, n), dtype)
    return ((a + a.conj().T) / 2).astype(dtype)


def half(matrix, fill):
    """A matrix whose other triangle is not a number."""
    keep = np.tril(np.ones(matrix.shape, bool)) if fill == LOWER else np.triu(np.ones(matrix.shape, bool))
    return np.where(keep, matrix, np.nan).astype(matrix.dtype)


def triangle(matrix, fill):
    return np.tril(matrix) if fill == LOWER else np.triu(matrix)


def exchanged(rows, pivots):
    """The order of rows after exchanges that LAPACK numbers from 1."""
    order = np.arange(rows)
    for i, other in enumerate(pivots):
        order[[i, other - 1]] = order[[other - 1, i]]
    return order


def check_lu():
    for letter, dtype in KINDS.items():
        for m, n in [(s, s) for s in SIZES] + [(40, 9), (9, 40), (0, 3), (3, 0)]:
            a, lda, k = normal((m, n), dtype), m + 3, min(m, n)
            for with_pivots in (True, False):
                if not with_pivots:
                    a = (a + 4 * max(m, n) * np.eye(m, n)).astype(dtype)
                place, pivots = Array(padded(a)), Array(np.zeros(k, np.int32))
                work = Array(np.zeros(workspace(letter + "getrf", m, n, place, lda), dtype))
                run(letter + "getrf", m, n, place, lda, work, pivots if with_pivots else None)
                found = place.get()
                assert (found[m:] == 77).all()
                found, rows = found[:m], pivots.get()
                lower, upper = np.tril(found[:, :k], -1) + np.eye(m, k), np.triu(found[:k])
                order = exchanged(m, rows) if with_pivots else np.arange(m)
                close(wide(lower) @ wide(upper), a[order], dtype, k, letter, m, n)
                if with_pivots:
                    assert (np.abs(lower) <= 1.5).all()
                if m != n:
                    continue
                for op in (N, T, C):
                    b = normal((n, 3), dtype)
                    sides = Array(padded(b))
                    run(letter + "getrs", op, n, 3, place, lda, pivots if with_pivots else None, sides, lda)
                    x = wide(sides.get()[:n])
                    turned = [a, a.T, a.conj().T][op]
                    residual = np.linalg.norm(wide(turned) @ x - b)
                    scale = np.linalg.norm(a) * np.linalg.norm(x)
                    assert residual <= 20 * n * np.finfo(dtype).eps * scale, (residual / scale, letter, n, op)
        n = 9
        a, b = normal((n, n), dtype), normal((n, 2), dtype)
        place, pivots, sides = Array(a), Array(np.zeros(n, np.int64)), Array(b)
        ty = TYPES[letter]
        first = [None, *wide64(n, n), ty, place, *wide64(n)]
        bytes_ = [c.c_size_t(), c.c_size_t()]
        ok(call("cusolverDnXgetrf_bufferSize", handle, *first, ty, *map(c.byref, bytes_)))
        run("Xgetrf", *first, pivots, ty, None, bytes_[0], None, bytes_[1])
        run("Xgetrs", None, N, *wide64(n, 2), ty, place, *wide64(n), pivots, ty, sides, *wide64(n))
        close(wide(a) @ wide(sides.get()), b, dtype, 30 * n, letter)
        # The third pivot is zero.
        singular = np.eye(5, dtype=dtype)
        singular[2, 2] = 0
        run(letter + "getrf", 5, 5, Array(singular), 5, None, Array(np.zeros(5, np.int32)), info=3)


def check_cholesky():
    for letter, dtype in KINDS.items():
        for n in SIZES + [150, 0]:
            for fill in (LOWER, UPPER):
                a, lda = definite(n, dtype), n + 3
                place = Array(padded(half(a, fill)))
                count = workspace(letter + "potrf", fill, n, place, lda)
                work = Array(np.zeros(count, dtype))
                run(letter + "potrf", fill, n, place, lda, work, count)
                whole = place.get()
                found = wide(triangle(whole[:n], fill))
                assert np.isnan(np.where(triangle(np.ones((n, n)), fill), 0, whole[:n])).sum() == n * (n - 1) // 2
                product = found @ found.conj().T if fill == LOWER else found.conj().T @ found
                close(product, a, dtype, n, letter, n, fill)
                b = normal((n, 2), dtype)
                sides = Array(padded(b))
                run(letter + "potrs", fill, n, 2, place, lda, sides, lda)
                x = sides.get()[:n]
                close(wide(a) @ wide(x), b, dtype, 20 * n, letter, n, fill)
                squared = Array(place.get())
                run(letter + "lauum", fill, n, squared, lda, work, count)
                product = found.conj().T @ found if fill == LOWER else found @ found.conj().T
                close(triangle(squared.get()[:n], fill), triangle(product, fill), dtype, n, "lauum", letter, n, fill)
                count = workspace(letter + "potri", fill, n, place, lda)
                run(letter + "potri", fill, n, place, lda, work, count)
                inverse = triangle(np.linalg.inv(wide(a)), fill) if n else np.zeros((0, 0))
                close(triangle(place.get()[:n], fill), inverse, dtype, 20 * n, "potri", letter, n, fill)
        bad = np.diag([1, 2, -1, 4]).astype(dtype)
        run(letter + "potrf", LOWER, 4, Array(bad), 4, None, 0, info=3)
        ty, n = TYPES[letter], 8
        a, b = definite(n, dtype), normal((n, 2), dtype)
        place, sides = Array(a), Array(b)
        xrun("potrf", None, UPPER, *wide64(n), ty, place, *wide64(n), ty)
        run("Xpotrs", None, UPPER, *wide64(n, 2), ty, place, *wide64(n), ty, sides, *wide64(n))
        close(wide(a) @ wide(sides.get()), b, dtype, 20 * n, letter)
        for diagonal in (0, 1):
            matrix = triangle(definite(n, dtype), UPPER) / n
            place = Array(matrix)
            xrun("trtri", UPPER, diagonal, *wide64(n), ty, place, *wide64(n))
            whole = matrix if diagonal == 0 else np.triu(matrix, 1) + np.eye(n)
            wanted = np.linalg.inv(wide(whole))
            found = place.get()
            if diagonal:
                assert (np.diag(found) == 1).all()
            close(found, wanted, dtype, 100 * n, "trtri", letter)
        # A batch, of which the second matrix is not definite.
        matrices = [definite(6, dtype), np.diag([1, -1, 1, 1, 1, 1]).astype(dtype), definite(6, dtype)]
        places, vectors = [Array(m) for m in matrices], [normal(6, dtype) for _ in matrices]
        sides, info = [Array(v) for v in vectors], Array(np.full(3, 7, np.int32))
        at = [Array(np.array([p.address.value for p in ps], np.uint64)) for ps in (places, sides)]
        ok(call(f"cusolverDn{letter}potrfBatched", handle, LOWER, 6, at[0], 6, info, 3))
        assert (info.get() == [0, 2, 0]).all(), info.get()
        told = Array(np.full(1, 7, np.int32))
        ok(call(f"cusolverDn{letter}potrsBatched", handle, LOWER, 6, 1, at[0], 6, at[1], 6, told, 3))
        assert told.get()[0] == 0
        for i in (0, 2):
            close(wide(matrices[i]) @ wide(sides[i].get()), vectors[i], dtype, 100, letter)


def names(letter, real, complex_):
    """The name of a function of real and of complex numbers."""
    return letter + (complex_ if letter in "CZ" else real)


def check_qr():
    for letter, dtype in KINDS.items():
        orgqr, ormqr = names(letter, "orgqr", "ungqr"), names(letter, "ormqr", "unmqr")
        for m, n in [(s, s) for s in SIZES] + [(90, 40), (40, 90), (5, 1), (1, 5)]:
            a, lda, k = normal((m, n), dtype), m + 3, min(m, n)
            place, tau = Array(padded(a)), Array(np.zeros(k, dtype))
            count = workspace(letter + "geqrf", m, n, place, lda)
            run(letter + "geqrf", m, n, place, lda, tau, None, count)
            found = place.get()
            assert (found[m:] == 77).all()
            r = wide(np.triu(found[:m]))
            # LAPACK's are real, and so is the diagonal of R.
            assert np.isrealobj(r) or np.abs(np.diag(r).imag).max() == 0
            q = Array(padded(np.hstack([found[:m, :k], np.zeros((m, m - k), dtype)])))
            run(orgqr, m, m, k, q, lda, tau, None, workspace(orgqr, m, m, k, q, lda, tau))
            q = wide(q.get()[:m])
            unitary(q, dtype, letter, m, n)
            close(q @ r, a, dtype, m + n, letter, m, n)
            thin = Array(found[:m, :k])
            run(orgqr, m, k, k, thin, m, tau, None, 1000)
            close(thin.get(), q[:, :k], dtype, m, "thin", letter, m, n)
            for side, op in [(LEFT, N), (LEFT, C if letter in "CZ" else T), (RIGHT, N), (RIGHT, C if letter in "CZ" else T)]:
                shape = (m, 5) if side == LEFT else (5, m)
                other = normal(shape, dtype)
                result = Array(padded(other))
                rest = [side, op, *shape, k, place, lda, tau, result, shape[0] + 3]
                run(ormqr, *rest, None, workspace(ormqr, *rest))
                turned = q if op == N else q.conj().T
                wanted = turned @ other if side == LEFT else other @ turned
                close(result.get()[: shape[0]], wanted, dtype, 2 * m, ormqr, side, op, m, n)
        ty = TYPES[letter]
        place, tau = Array(normal((12, 5), dtype)), Array(np.zeros(5, dtype))
        xrun("geqrf", None, *wide64(12, 5), ty, place, *wide64(12), ty, tau, ty)
        v = place.get()
        t = Array(np.zeros((5, 5), dtype))
        rest = [None, 0, 0, *wide64(12, 5), ty, place, *wide64(12), ty, tau, ty, t, *wide64(5), ty]
        sizes = [c.c_size_t(), c.c_size_t()]
        ok(call("cusolverDnXlarft_bufferSize", handle, *rest, *map(c.byref, sizes)))
        ok(call("cusolverDnXlarft", handle, *rest, None, sizes[0], None, sizes[1]))
        vectors, t = wide(np.tril(v, -1) + np.eye(12, 5)), wide(t.get())
        product = np.eye(12)
        for i, factor in enumerate(wide(tau.get())):
            product = product @ (np.eye(12) - factor * np.outer(vectors[:, i], vectors[:, i].conj()))
        close(np.eye(12) - vectors @ t @ vectors.conj().T, product, dtype, 12, "larft", letter)


def check_symmetric():
    for letter, dtype in KINDS.items():
        ty = TYPES[letter]
        for n in SIZES:
            for fill in (LOWER, UPPER):
                for kind in ("sy", "he"):
                    a = normal((n, n), dtype)
                    # Blocks of two rows are needed where the diagonal is small.
                    a = (a + (a.T if kind == "sy" else a.conj().T)).astype(dtype)
                    np.fill_diagonal(a, (np.diag(a) / 100).real if kind == "he" else np.diag(a) / 100)
                    place, pivots, lda = Array(padded(half(a, fill))), Array(np.zeros(n, np.int64)), n + 3
                    b = normal((n, 2), dtype)
                    sides = Array(padded(b))
                    rest = [None, fill, *wide64(n), ty, place, *wide64(lda), pivots, ty]
                    xrun(kind + "trf", *rest)
                    rest = [fill, *wide64(n, 2), ty, place, *wide64(lda), pivots, ty, sides, *wide64(lda)]
                    xrun(kind + "trs", *([None] if kind == "he" else []), *rest)
                    x = wide(sides.get()[:n])
                    residual = np.linalg.norm(wide(a) @ x - b)
                    scale = np.linalg.norm(a) * np.linalg.norm(x)
                    assert residual <= 20 * n * np.finfo(dtype).eps * scale, (residual / scale, kind, letter, n, fill)
                    if kind == "sy":
                        short, inverse = Array(np.zeros(n, np.int32)), Array(padded(half(a, fill)))
                        run(letter + "sytrf", fill, n, inverse, lda, short, None, workspace(letter + "sytrf", n, inverse, lda))
                        assert (short.get() == pivots.get()).all()
                        count = workspace(letter + "sytri", fill, n, inverse, lda, short)
                        run(letter + "sytri", fill, n, inverse, lda, short, None, count)
                        wanted = np.linalg.inv(wide(a))
                        bound = 30 * n * np.finfo(dtype).eps * np.linalg.cond(wide(a)) * np.linalg.norm(wanted)
                        assert np.linalg.norm(triangle(inverse.get()[:n] - wanted, fill)) <= bound


def check_condensed():
    for letter, dtype in KINDS.items():
        real = REAL[letter]
        trd, gtr = names(letter, "sytrd", "hetrd"), names(letter, "orgtr", "ungtr")
        mtr, gbr = names(letter, "ormtr", "unmtr"), names(letter, "orgbr", "ungbr")
        for n in SIZES:
            for fill in (LOWER, UPPER):
                a, lda = hermitian(n, dtype), n + 3
                place, d, e, tau = Array(padded(half(a, fill))), Array(np.zeros(n, real)), Array(np.zeros(n, real)), Array(np.zeros(n, dtype))
                run(trd, fill, n, place, lda, d, e, tau, None, workspace(trd, fill, n, place, lda, d, e, tau))
                small = np.diag(d.get()) + np.diag(e.get()[: n - 1], 1) + np.diag(e.get()[: n - 1], -1)
                reflectors = Array(place.get())
                run(gtr, fill, n, place, lda, tau, None, workspace(gtr, fill, n, place, lda, tau))
                q = wide(place.get()[:n])
                unitary(q, dtype, gtr, n, fill)
                close(q @ small @ q.conj().T, a, dtype, 2 * n, trd, n, fill)
                for side, op in [(LEFT, N), (RIGHT, C if letter in "CZ" else T)]:
                    shape = (n, 4) if side == LEFT else (4, n)
                    other = normal(shape, dtype)
                    result = Array(other)
                    rest = [side, fill, op, *shape, reflectors, lda, tau, result, shape[0]]
                    run(mtr, *rest, None, workspace(mtr, *rest))
                    wanted = q @ other if side == LEFT else other @ q.conj().T
                    close(result.get(), wanted, dtype, 2 * n, mtr, side, op, n, fill)
        for m, n in [(9, 9), (20, 6), (1, 1)]:
            a = normal((m, n), dtype)
            place, d, e = Array(a), Array(np.zeros(n, real)), Array(np.zeros(n, real))
            tau_q, tau_p = Array(np.zeros(n, dtype)), Array(np.zeros(n, dtype))
            run(letter + "gebrd", m, n, place, m, d, e, tau_q, tau_p, None, workspace(letter + "gebrd", m, n))
            left, right = Array(place.get()), Array(place.get()[:n])
            run(gbr, LEFT, m, n, n, left, m, tau_q, None, workspace(gbr, LEFT, m, n, n, left, m, tau_q))
            run(gbr, RIGHT, n, n, m, right, n, tau_p, None, workspace(gbr, RIGHT, n, n, m, right, n, tau_p))
            q, p = wide(left.get()), wide(right.get())
            small = np.diag(d.get()) + np.diag(e.get()[: n - 1], 1)
            unitary(q, dtype, gbr, m, n)
            close(q @ small @ p, a, dtype, m + n, "gebrd", letter, m, n)


def check_singular(a, s, u, vh, dtype, *what):
    """Singular values are NumPy's, vectors are unitary and make the matrix again."""
    k = len(s)
    close(s, np.linalg.svd(wide(a), compute_uv=False)[:k], dtype, 2 * sum(a.shape), *what)
    if u is not None and vh is not None:
        unitary(u, dtype, *what)
        unitary(vh.conj().T, dtype, *what)
        if k == min(a.shape):
            close(wide(u[:, :k]) * s @ wide(vh[:k]), a, dtype, 2 * sum(a.shape), *what)


def check_svd():
    for letter, dtype in KINDS.items():
        real, ty, real_ty = REAL[letter], TYPES[letter], TYPES[{"C": "S", "Z": "D"}.get(letter, letter)]
        for m, n in [(s, s) for s in SIZES] + [(30, 7), (60, 5), (4, 1)]:
            for jobs in ["AA", "SS", "NN", "OS", "SO", "AN"]:
                a, lda = normal((m, n), dtype), m + 3
                place, s = Array(padded(a)), Array(np.zeros(n, real))
                u, vt = Array(np.zeros((m + 1, m), dtype)), Array(np.zeros((n + 2, n), dtype))
                count = workspace(letter + "gesvd", m, n)
                rest = [place, lda, s, u, m + 1, vt, n + 2, Array(np.zeros(count, dtype)), count, None]
                run(letter + "gesvd", *map(ord, jobs), m, n, *rest)
                over, left, right = place.get()[:m], u.get()[:m], vt.get()[:n]
                left = {"A": left, "S": left[:, :n], "O": over, "N": None}[jobs[0]]
                right = {"A": right, "S": right, "O": over[:n], "N": None}[jobs[1]]
                check_singular(a, s.get(), left, right, dtype, letter, m, n, jobs)
            place, s = Array(a), Array(np.zeros(n, real))
            u, vt = Array(np.zeros((m, n), dtype)), Array(np.zeros((n, n), dtype))
            letters = [c.c_byte(ord("S"))] * 2
            rest = [place, *wide64(m), real_ty, s, ty, u, *wide64(m), ty, vt, *wide64(n), ty]
            xrun("gesvd", None, *letters, *wide64(m, n), ty, *rest)
            check_singular(a, s.get(), u.get(), vt.get(), dtype, "Xgesvd", letter, m, n)
        params = c.c_void_p()
        ok(call("cusolverDnCreateGesvdjInfo", c.byref(params)))
        ok(call("cusolverDnXgesvdjSetTolerance", params, c.c_double(1e-7)))
        for m, n in [(s, s) for s in SIZES] + [(30, 7), (7, 30), (1, 9)]:
            k = min(m, n)
            for thin in (0, 1):
                a = normal((m, n), dtype)
                place, s = Array(a), Array(np.zeros(k, real))
                u, v = Array(np.zeros((m, k if thin else m), dtype)), Array(np.zeros((n, k if thin else n), dtype))
                rest = [VECTORS, thin, m, n, place, m, s, u, m, v, n]
                count = c.c_int()
                ok(call(f"cusolverDn{letter}gesvdj_bufferSize", handle, *rest, c.byref(count), params))
                info = Array(np.full(1, 7, np.int32))
                ok(call(f"cusolverDn{letter}gesvdj", handle, *rest, None, count, info, params))
                assert info.get()[0] == 0
                check_singular(a, s.get(), u.get(), v.get().conj().T, dtype, "gesvdj", letter, m, n, thin)
                place, s, error = Array(a), Array(np.zeros(k, real)), c.c_double(7)
                rest = [None, VECTORS, thin, *wide64(m, n), ty, place, *wide64(m), real_ty, s, ty, u, *wide64(m), ty, v, *wide64(n), ty]
                ok(call("cusolverDnXgesvdp", handle, *rest, None, c.c_size_t(), None, c.c_size_t(), info, c.byref(error)))
                assert info.get()[0] == 0 and error.value < 1e-3
                check_singular(a, s.get(), u.get(), v.get().conj().T, dtype, "gesvdp", letter, m, n, thin)
        for m, n in [(8, 5), (5, 8), (32, 32)]:
            k, batch = min(m, n), 3
            a = normal((m, n * batch), dtype)
            place, s = Array(a), Array(np.zeros((k, batch), real))
            u, v, info = Array(np.zeros((m, m * batch), dtype)), Array(np.zeros((n, n * batch), dtype)), Array(np.full(batch, 7, np.int32))
            rest = [VECTORS, m, n, place, m, s, u, m, v, n]
            count = c.c_int()
            ok(call(f"cusolverDn{letter}gesvdjBatched_bufferSize", handle, *rest, c.byref(count), params, batch))
            ok(call(f"cusolverDn{letter}gesvdjBatched", handle, *rest, None, count, info, params, batch))
            assert (info.get() == 0).all()
            for i in range(batch):
                part = [x.get()[:, i * w : i * w + w] for x, w in [(u, m), (v, n)]]
                check_singular(a[:, i * n : i * n + n], s.get()[:, i], part[0], part[1].conj().T, dtype, "batch", letter, m, n)
            if m < n:
                continue
            rank, norms = 3, np.full(batch, 7.0)
            s = Array(np.zeros((rank, batch), real))
            u, v = Array(np.zeros((m, rank * batch), dtype)), Array(np.zeros((n, rank * batch), dtype))
            long = [c.c_longlong(x) for x in (m * n, rank, m * rank, n * rank)]
            rest = [VECTORS, rank, m, n, Array(a), m, long[0], s, long[1], u, m, long[2], v, n, long[3]]
            ok(call(f"cusolverDn{letter}gesvdaStridedBatched_bufferSize", handle, *rest, c.byref(count), batch))
            ok(call(f"cusolverDn{letter}gesvdaStridedBatched", handle, *rest, None, count, info, host(norms), batch))
            assert (info.get() == 0).all()
            for i in range(batch):
                part = wide(a[:, i * n : i * n + n])
                left, right = (wide(x.get()[:, i * rank : i * rank + rank]) for x in (u, v))
                # cuSOLVER compares the norms of the matrix and of all its singular values, on an H100 too.
                assert norms[i] <= 1e3 * np.finfo(dtype).eps * np.linalg.norm(part)
                check_singular(part, s.get()[:, i], left, right.conj().T, dtype, "gesvda", letter, m, n)
        m, n, rank = 20, 12, 4
        a = normal((m, n), dtype)
        s, u, v = Array(np.zeros(rank, real)), Array(np.zeros((m, rank), dtype)), Array(np.zeros((n, rank), dtype))
        rest = [*wide64(m, n, rank, 2, 2), ty, Array(a), *wide64(m), real_ty, s, ty, u, *wide64(m), ty, v, *wide64(n), ty]
        xrun("gesvdr", None, c.c_byte(ord("S")), c.c_byte(ord("S")), *rest)
        check_singular(a, s.get(), u.get(), v.get().conj().T, dtype, "gesvdr", letter)
        ok(call("cusolverDnDestroyGesvdjInfo", params))
        bad = Array(np.full((3, 3), np.nan, dtype))
        count = workspace(letter + "gesvd", 3, 3)
        found = run(letter + "gesvd", ord("N"), ord("N"), 3, 3, bad, 3, Array(np.zeros(3, real)), None, 3, None, 3, None, count, None, info=None)
        values = Array(np.zeros(3, real))
        vectors = [Array(np.eye(3, dtype=dtype)), 3, Array(np.eye(3, dtype=dtype)), 3]
        rest = [ord("S"), ord("S"), 3, 3, bad, 3, values, *vectors, Array(np.zeros(count, dtype)), count, None]
        assert found > 0 and run(letter + "gesvd", *rest, info=None) > 0 and np.isnan(values.get()).all()


def check_eigen():
    for letter, dtype in KINDS.items():
        real, ty, real_ty = REAL[letter], TYPES[letter], TYPES[{"C": "S", "Z": "D"}.get(letter, letter)]
        kind = "he" if letter in "CZ" else "sy"
        params = c.c_void_p()
        ok(call("cusolverDnCreateSyevjInfo", c.byref(params)))
        for n in SIZES + [0]:
            for fill in (LOWER, UPPER):
                a, lda = hermitian(n, dtype), n + 3
                wanted = np.linalg.eigvalsh(wide(a)) if n else np.zeros(0)
                for vectors in (0, 1):
                    given = half(a, fill)
                    if kind == "he":
                        # Imaginary parts on the diagonal are not looked at.
                        given += 7j * np.eye(n, dtype=dtype)
                    place, w = Array(padded(given)), Array(np.zeros(n, real))
                    rest = [vectors, fill, n, place, lda, w]
                    count = workspace(letter + kind + "evd", *rest)
                    run(letter + kind + "evd", *rest, None, count)
                    close(w.get(), wanted, dtype, 2 * n, kind, letter, n, fill)
                    if vectors:
                        q = wide(place.get()[:n])
                        unitary(q, dtype, letter, n)
                        close(q * w.get() @ q.conj().T, a, dtype, 4 * n, letter, n, fill)
                if n < 4:
                    continue
                place, w = Array(half(a, fill)), Array(np.zeros(n, real))
                xrun("syevd", None, VECTORS, fill, *wide64(n), ty, place, *wide64(n), real_ty, w, ty)
                close(w.get(), wanted, dtype, 2 * n, "Xsyevd", letter, n)
                found = c.c_int()
                number = (c.c_float if real == np.float32 else c.c_double)
                limits = [(wanted[0] + wanted[1]) / 2, (wanted[2] + wanted[3]) / 2]
                for by in (ALL, BY_NUMBER, BY_VALUE):
                    place, w = Array(half(a, fill)), Array(np.zeros(n, real))
                    rest = [VECTORS, by, fill, n, place, n, *map(number, limits), 2, 3, c.byref(found), w]
                    count = workspace(letter + kind + "evdx", *rest)
                    run(letter + kind + "evdx", *rest, None, count)
                    assert found.value == (n if by == ALL else 2), (found.value, by)
                    part = slice(None) if by == ALL else slice(1, 3)
                    values, q = w.get()[: found.value], wide(place.get()[:, : found.value])
                    close(values, wanted[part], dtype, 2 * n, by, letter)
                    close(wide(a) @ q, q * values, dtype, 10 * n, by, letter)
                b = definite(n, dtype)
                for problem in (1, 2, 3):
                    first, second, w = Array(half(a, fill)), Array(half(b, fill)), Array(np.zeros(n, real))
                    rest = [problem, VECTORS, fill, n, first, n, second, n, w]
                    count = workspace(letter + kind + "gvd", *rest)
                    run(letter + kind + "gvd", *rest, None, count)
                    x, l, (a2, b2) = wide(first.get()), w.get(), map(wide, (a, b))
                    left, right = {1: (a2 @ x, b2 @ x), 2: (a2 @ b2 @ x, x), 3: (b2 @ a2 @ x, x)}[problem]
                    close(left, right * l, dtype, 1000 * n, "gvd", problem, letter, n, fill)
                    factor = wide(triangle(second.get(), fill))
                    close(factor @ factor.conj().T if fill == LOWER else factor.conj().T @ factor, b, dtype, n)
        bad = Array(np.diag([1, -1, 1]).astype(dtype))
        run(letter + kind + "gvd", 1, VECTORS, LOWER, 3, Array(np.eye(3, dtype=dtype)), 3, bad, 3, Array(np.zeros(3, real)), None, 10, info=5)
        n, batch = 6, 4
        matrices = [hermitian(n, dtype) for _ in range(batch)]
        for name in ("jacobi", "X"):
            place, w, info = Array(np.hstack(matrices)), Array(np.zeros((n, batch), real)), Array(np.full(batch, 7, np.int32))
            if name == "X":
                rest = [None, VECTORS, LOWER, *wide64(n), ty, place, *wide64(n), real_ty, w, ty]
                ok(call("cusolverDnXsyevBatched", handle, *rest, None, c.c_size_t(), None, c.c_size_t(), info, c.c_int64(batch)))
            else:
                rest = [VECTORS, LOWER, n, place, n, w]
                ok(call(f"cusolverDn{letter}{kind}evjBatched", handle, *rest, None, 1000, info, params, batch))
            assert (info.get() == 0).all()
            for i, a in enumerate(matrices):
                q, values = wide(place.get()[:, i * n : i * n + n]), w.get()[:, i]
                close(q * values @ q.conj().T, a, dtype, 10 * n, name, letter)
        ok(call("cusolverDnDestroySyevjInfo", params))
        # Eigenvalues of matrices that are not symmetric.
        for n in SIZES:
            a = normal((n, n), dtype)
            complex_ty = TYPES[{"S": "C", "D": "Z"}.get(letter, letter)]
            complex_type = np.complex64 if real == np.float32 else np.complex128
            for type_w in {complex_ty, ty}:
                in_parts = letter in "SD" and type_w == ty
                w = Array(np.zeros(2 * n, real) if in_parts else np.zeros(n, complex_type))
                place, v = Array(a), Array(np.zeros((n, n), dtype))
                rest = [None, 0, VECTORS, *wide64(n), ty, place, *wide64(n), type_w, w, ty, None, *wide64(1), ty, v, *wide64(n), ty]
                xrun("geev", *rest)
                values = w.get()
                values = values[:n] + 1j * values[n:] if in_parts else values
                x = wide(v.get()).astype(complex)
                if letter in "SD":
                    for j in np.flatnonzero(values.imag > 0):
                        assert values[j + 1] == values[j].conj()
                        x[:, j], x[:, j + 1] = x[:, j] + 1j * x[:, j + 1], x[:, j] - 1j * x[:, j + 1]
                close(np.linalg.norm(x, axis=0), np.ones(n), dtype, n)
                close(wide(a) @ x, x * values, dtype, 50 * n, "geev", letter, n)
                close(values.sum(), np.trace(wide(a)), dtype, 10 * n, "geev", letter, n)


def check_refined():
    """Systems that NVIDIA's library solves in a low precision and refines."""
    pairs = {"S": "SHBX", "D": "DSHBX", "C": "CKEY", "Z": "ZCKEY"}
    for letter, dtype in KINDS.items():
        m, n, sides = 15, 9, 2
        for low in pairs[letter]:
            a, b = normal((n, n), dtype), normal((n, sides), dtype)
            place, right, x = Array(a), Array(b), Array(np.zeros((n, sides), dtype))
            iterations, pivots, info = c.c_int(7), Array(np.zeros(n, np.int32)), Array(np.full(1, 7, np.int32))
            rest, bytes_ = [n, sides, place, n, pivots, right, n, x, n, None], c.c_size_t()
            ok(call(f"cusolverDn{letter}{low}gesv_bufferSize", handle, *rest, c.byref(bytes_)))
            ok(call(f"cusolverDn{letter}{low}gesv", handle, *rest, bytes_, c.byref(iterations), info))
            assert info.get()[0] == 0 and iterations.value == 0
            close(wide(a) @ wide(x.get()), b, dtype, 100 * n, "gesv", letter, low)
            assert (place.get() == a).all() and (right.get() == b).all()
            a, b = normal((m, n), dtype), normal((m, sides), dtype)
            rest = [m, n, sides, Array(a), m, Array(b), m, x, n, None]
            ok(call(f"cusolverDn{letter}{low}gels_bufferSize", handle, *rest, c.byref(bytes_)))
            ok(call(f"cusolverDn{letter}{low}gels", handle, *rest, bytes_, c.byref(iterations), info))
            assert info.get()[0] == 0
            close(x.get(), np.linalg.lstsq(wide(a), wide(b), rcond=None)[0], dtype, 100 * m, "gels", letter, low)
    params, infos = c.c_void_p(), c.c_void_p()
    ok(call("cusolverDnIRSParamsCreate", c.byref(params)))
    ok(call("cusolverDnIRSInfosCreate", c.byref(infos)))
    a, b = normal((n, n), dtype), normal((n, sides), dtype)
    rest = [params, infos, n, sides, Array(a), n, Array(b), n, x, n, None, bytes_, c.byref(iterations), info]
    assert call("cusolverDnIRSXgesv", handle, *rest) == 14
    ok(call("cusolverDnIRSParamsSetSolverPrecisions", params, 1213, 1214))
    ok(call("cusolverDnIRSXgesv_bufferSize", handle, params, n, sides, c.byref(bytes_)))
    ok(call("cusolverDnIRSXgesv", handle, *rest))
    close(wide(a) @ wide(x.get()), b, dtype, 100 * n, "IRSXgesv")
    ok(call("cusolverDnIRSInfosGetNiters", infos, c.byref(iterations)))
    ok(call("cusolverDnIRSInfosDestroy", infos))
    ok(call("cusolverDnIRSParamsDestroy", params))
    assert call("cusolverDnIRSParamsDestroy", params) == 12


def sparse_library():
    """A cuSPARSE, whose descriptors cuSOLVER takes."""
    folder = os.environ.get("NVIDIA_LIBRARIES")
    if not folder:
        return c.CDLL(os.path.join(staged, "libraries/libcusparse.so.12"))
    c.CDLL(os.path.join(folder, "libnvJitLink.so.13"), mode=c.RTLD_GLOBAL)
    return c.CDLL(os.path.join(folder, "libcusparse.so.12"))


def compressed(matrix, base):
    """Rows, columns and values of a matrix's elements that are not zero."""
    rows, columns = np.nonzero(matrix)
    starts = np.searchsorted(rows, np.arange(len(matrix) + 1)) + base
    return starts.astype(np.int32), (columns + base).astype(np.int32), matrix[rows, columns]


def grid(width, dtype, definite_=True):
    """The matrix of neighbours on a square grid, with numbers of its own in each place."""
    n = width * width
    matrix = np.zeros((n, n), np.complex128)
    for i in range(n):
        for j in [i + 1] * (i % width != width - 1) + [i + width] * (i + width < n):
            matrix[i, j] = normal((), dtype)
            matrix[j, i] = np.conj(matrix[i, j]) if definite_ else normal((), dtype)
    order = random.permutation(n)
    matrix = matrix + np.diag(np.abs(matrix).sum(axis=1) + 1 if definite_ else np.zeros(n))
    matrix = matrix[order][:, order]
    return (matrix if np.issubdtype(dtype, np.complexfloating) else matrix.real).astype(dtype)


def check_sparse():
    cusparse = sparse_library()
    sparse, descriptor = c.c_void_p(), c.c_void_p()
    ok(call("cusolverSpCreate", c.byref(sparse)))
    ok(cusparse.cusparseCreateMatDescr(c.byref(descriptor)))
    for letter, dtype in KINDS.items():
        number = c.c_float if letter in "SC" else c.c_double
        for base in (0, 1):
            ok(cusparse.cusparseSetMatIndexBase(descriptor, base))
            for name, is_definite in [("qr", False), ("qr", True), ("chol", True), ("luHost", False), ("qrHost", False), ("cholHost", True)]:
                # An even side: the pairs of neighbours make the one without a diagonal regular.
                a = grid(8, dtype, is_definite)
                n, (starts, columns, values) = len(a), compressed(a, base)
                b = normal(n, dtype)
                for order in range(4):
                    singular, x = c.c_int(7), np.zeros(n, dtype)
                    arrays = [values, starts, columns, b]
                    if not name.endswith("Host"):
                        arrays, x = [Array(array) for array in arrays], Array(x)
                    else:
                        arrays, place = [host(array) for array in arrays], host(x)
                    rest = [n, len(values), descriptor, *arrays, number(0), order]
                    ok(call(f"cusolverSp{letter}csrlsv{name}", sparse, *rest, x if isinstance(x, Array) else place, c.byref(singular)))
                    assert singular.value == -1, (singular.value, name, letter)
                    found = wide(x.get() if isinstance(x, Array) else x)
                    residual = np.linalg.norm(wide(a) @ found - b)
                    scale = np.linalg.norm(a) * np.linalg.norm(found)
                    assert residual <= 100 * n * np.finfo(dtype).eps * scale, (residual / scale, name, letter, order)
        ok(cusparse.cusparseSetMatIndexBase(descriptor, 0))
        # The third equation is the sum of those before.
        a = np.array([[1, 2, 0], [0, 1, 1], [1, 3, 1]], dtype)
        starts, columns, values = compressed(a, 0)
        arrays, x = [Array(array) for array in (values, starts, columns, np.ones(3, dtype))], Array(np.zeros(3, dtype))
        ok(call(f"cusolverSp{letter}csrlsvqr", sparse, 3, len(values), descriptor, *arrays, number(1e-6), 0, x, c.byref(singular)))
        assert singular.value == 2, singular.value
        # The eigenvalue next to a number.
        a = hermitian(12, dtype)
        starts, columns, values = compressed(a, 0)
        wanted = np.linalg.eigvalsh(wide(a))[4]
        near = np.array([wanted + 1e-3], dtype)
        found, x = Array(np.zeros(1, dtype)), Array(np.zeros(12, dtype))
        arrays = [Array(array) for array in (values, starts, columns)]
        argument = number(near.real[0]) if letter in "SD" else (Pair32 if letter == "C" else Pair64)(near[0].real, near[0].imag)
        ok(call(f"cusolverSp{letter}csreigvsi", sparse, 12, len(values), descriptor, *arrays, argument, Array(normal(12, dtype)), 50, number(1e-5), found, x))
        assert abs(found.get()[0] - wanted) <= 1e-3 * max(1, abs(wanted)), (found.get()[0], wanted)
        x = wide(x.get())
        close(wide(a) @ x, found.get()[0] * x, np.float32, 1000)
    a = grid(6, np.float64)
    n, (starts, columns, values) = len(a), compressed(a, 0)
    arrays = [host(starts), host(columns)]
    for name, more in [("symrcm", []), ("symmdq", []), ("symamd", []), ("metisnd", [None])]:
        order = np.full(n, -7, np.int32)
        ok(call(f"cusolverSpXcsr{name}Host", sparse, n, len(values), descriptor, *arrays, *more, host(order)))
        assert (np.sort(order) == np.arange(n)).all(), name
        if name == "symrcm":
            rows, others = np.nonzero(a[order][:, order])
            assert np.abs(rows - others).max() <= 12
    answer = c.c_int(7)
    ok(call("cusolverSpXcsrissymHost", sparse, n, len(values), descriptor, arrays[0], c.c_void_p(starts.ctypes.data + 4), arrays[1], c.byref(answer)))
    assert answer.value == 1
    bytes_, q = c.c_size_t(), random.permutation(n).astype(np.int32)
    origin = np.arange(len(values), dtype=np.int32)
    rest = [n, n, len(values), descriptor, *arrays, host(order), host(q)]
    ok(call("cusolverSpXcsrperm_bufferSizeHost", sparse, *rest, c.byref(bytes_)))
    ok(call("cusolverSpXcsrpermHost", sparse, *rest, host(origin), None))
    permuted = np.zeros((n, n))
    permuted[np.repeat(np.arange(n), np.diff(starts)), columns] = values[origin]
    assert (permuted == a[order][:, q]).all()
    # Batches of systems of one pattern.
    info, batch, n = c.c_void_p(), 3, 16
    ok(call("cusolverSpCreateCsrqrInfo", c.byref(info)))
    matrices = [grid(4, np.float64) for _ in range(batch)]
    pattern = matrices[0] != 0
    matrices = [np.where(pattern, m + normal(m.shape, np.float64), 0) + 9 * np.eye(n) for m in matrices]
    starts, columns, _ = compressed(pattern, 0)
    values = np.concatenate([m[pattern] for m in matrices])
    b = normal(n * batch, np.float64)
    arrays, x = [Array(array) for array in (values, starts, columns)], Array(np.zeros(n * batch))
    count, bytes_ = len(columns), [c.c_size_t(), c.c_size_t()]
    ok(call("cusolverSpXcsrqrAnalysisBatched", sparse, n, n, count, descriptor, *arrays[1:], info))
    ok(call("cusolverSpDcsrqrBufferInfoBatched", sparse, n, n, count, descriptor, *arrays, batch, info, *map(c.byref, bytes_)))
    ok(call("cusolverSpDcsrqrsvBatched", sparse, n, n, count, descriptor, *arrays, Array(b), x, batch, info, None))
    for i, matrix in enumerate(matrices):
        part = slice(i * n, i * n + n)
        close(matrix @ x.get()[part], b[part], np.float64, 100 * n)
    ok(call("cusolverSpDestroyCsrqrInfo", info))
    ok(cusparse.cusparseDestroyMatDescr(descriptor))
    ok(call("cusolverSpDestroy", sparse))


class Pair32(c.Structure):
    _fields_ = [("re", c.c_float), ("im", c.c_float)]


class Pair64(c.Structure):
    _fields_ = [("re", c.c_double), ("im", c.c_double)]


def check_statuses():
    """Wrong arguments, one at a time, have NVIDIA's statuses."""
    folder = os.environ["NVIDIA_LIBRARIES"]
    for name in ("libnvJitLink.so.13", "libcublasLt.so.13", "libcublas.so.13", "libcusparse.so.12"):
        c.CDLL(os.path.join(folder, name), mode=c.RTLD_GLOBAL)
    theirs = c.CDLL(os.path.join(folder, "libcusolver.so.12"))
    handles = {solver: handle, theirs: create(theirs)}
    # Where a call is right after all, these are pivots too.
    a = Array(np.ones(4000, np.int32))
    right = {
        "Sgetrf": [3, 3, a, 3, a, a],
        "Sgetrs": [N, 3, 1, a, 3, a, a, 3],
        "Spotrs": [LOWER, 3, 1, a, 3, a, 3],
        "Sgeqrf": [3, 3, a, 3, a, a, 3000],
        "Sorgqr": [5, 3, 2, a, 5, a, a, 3000],
        "Sormqr": [LEFT, T, 5, 3, 2, a, 5, a, a, 5, a, 3000],
        "Cunmqr": [LEFT, C, 5, 3, 2, a, 5, a, a, 5, a, 1500],
        "Sgesvd": [65, 65, 5, 3, a, 5, a, a, 5, a, 3, a, 3000, a],
        "Ssyevd": [1, 0, 3, a, 3, a, a, 3000],
        "Ssygvd": [1, 1, 0, 3, a, 3, a, 3, a, a, 3000],
        "Ssytrf": [0, 3, a, 3, a, a, 3000],
        "Ssytrd": [0, 3, a, 3, a, a, a, a, 3000],
        "Spotri": [0, 3, a, 3, a, 3000],
    }
    differing = []
    for name, arguments in right.items():
        for place, value in enumerate(arguments):
            # Sizes of workspaces are not NVIDIA's.
            if not isinstance(value, int) or value >= 1000:
                continue
            for bad in [-1, 9 if value <= 2 else -3]:
                tried = arguments[:place] + [bad] + arguments[place + 1 :]
                found = []
                for library, h in handles.items():
                    ok(driver.cuMemcpyHtoD_v2(a.address, host(a.like), c.c_size_t(a.like.nbytes)))
                    info = Array(np.full(1, 77, np.int32))
                    found.append((call("cusolverDn" + name, h, *tried, info, library=library), info.get()[0]))
                wrong = found[1][0] != 0
                if wrong and found[0] != found[1]:
                    differing.append((name, [x if isinstance(x, int) else "*" for x in tried], *found))
        info = Array(np.full(1, 77, np.int32))
        assert call("cusolverDn" + name, None, *arguments, info) == NOT_INITIALIZED
    assert not differing, "\n".join(map(str, differing))


def check_ended_stream():
    """A handle ends although its stream has: NVIDIA's sample of trtri ends the two in this order."""
    handle, stream = create(), c.c_void_p()
    ok(driver.cuStreamCreate(c.byref(stream), 1))
    ok(solver.cusolverDnSetStream(handle, stream))
    ok(driver.cuStreamDestroy_v2(stream))
    ok(solver.cusolverDnDestroy(handle))


if __name__ == "__main__":
    check_ended_stream()
    check_lu()
    check_cholesky()
    check_qr()
    check_svd()
    check_eigen()
    if not FEW:
        check_symmetric()
        check_condensed()
        check_refined()
        check_sparse()
    if os.environ.get("NVIDIA_LIBRARIES") and not FEW:
        check_statuses()
    ok(solver.cusolverDnDestroy(handle))
    assert solver.cusolverDnDestroy(handle) == NOT_INITIALIZED
