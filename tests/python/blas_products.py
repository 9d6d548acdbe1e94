"""ZLUDA's own cuBLAS against NumPy in double precision, and its statuses against those of NVIDIA's cuBLAS."""

import ctypes as c
import itertools
import os

import numpy as np
from dense_arrays import (
    C, FEW, KINDS, LOWER, REAL, UPPER, Array, N, T, driver, host, ok, staged, wide,
)  # fmt: skip

# rocBLAS adds halves up as halves there, and squares what it takes the norm of.
ROCM = os.environ.get("ZLUDA_DEVICE") == "rocm"
blas = c.CDLL(os.path.join(staged, "libraries/libcublas.so.13"))
random = np.random.default_rng(7)
SUCCESS, NOT_INITIALIZED, INVALID_VALUE = 0, 1, 7


def one(value, dtype):
    """A number in memory of the host."""
    return np.array(value, dtype)


def call(name, *arguments, library=blas):
    """A call of a function with Python's numbers, addresses and arrays for arguments; all indices fit 32 bits."""

    def plain(value):
        if isinstance(value, Array):
            return value.address
        if isinstance(value, np.ndarray):
            return host(value)
        return value

    return getattr(library, name)(*map(plain, arguments))


def create(library=blas):
    handle = c.c_void_p()
    ok(library.cublasCreate_v2(c.byref(handle)))
    return handle


handle = create()


def normal(shape, dtype):
    values = random.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def turned(matrix, operation):
    return [matrix, matrix.T, matrix.conj().T][operation]


def close(found, wanted, dtype, terms, *what):
    """Within a few roundings of sums of so many terms, relative to the largest number."""
    largest = max(1.0, float(np.abs(wanted).max(initial=0)))
    error = np.abs(wide(np.asarray(found)) - wanted).max(initial=0)
    assert error <= 8 * np.finfo(dtype).eps * (terms + 2) * largest, (error, *what)


def triangle(matrix, fill, unit=False, symmetric=False, hermitian=False):
    """The whole of a matrix of which a triangle is given."""
    half = np.tril(matrix) if fill == LOWER else np.triu(matrix)
    strict = np.tril(matrix, -1) if fill == LOWER else np.triu(matrix, 1)
    if symmetric:
        return half + strict.T
    if hermitian:
        return strict + strict.conj().T + np.diag(np.diag(matrix).real)
    return strict + np.eye(len(matrix)) if unit else half


def spread(values, step):
    """Memory of a vector with a step between elements, which a negative one turns round."""
    memory = np.full(max(1, (len(values) - 1) * abs(step) + 1), 99, values.dtype)
    memory[:: abs(step)] = values if step > 0 else values[::-1]
    return memory


def gathered(memory, step):
    values = memory[:: abs(step)]
    return values if step > 0 else values[::-1]


def padded(matrix, more=3):
    """A matrix with rows below it that are not its own."""
    return np.vstack([matrix, np.full((more, matrix.shape[1]), 77, matrix.dtype)])


def check_level1():
    for letter, dtype in KINDS.items():
        low, real = letter.lower(), REAL[letter]
        prefix = {"S": "S", "D": "D", "C": "Sc", "Z": "Dz"}[letter]
        for n, sx, sy in [(1, 1, 1), (7, 2, -3), (1000, 1, 1), (70001, -1, 2)]:
            x, y = normal(n, dtype), normal(n, dtype)
            alpha = one(1.5 - (0.5j if letter in "CZ" else 0), dtype)
            of = lambda: (Array(spread(x, sx)), Array(spread(y, sy)))
            X, Y = of()
            ok(call(f"cublas{letter}axpy_v2", handle, n, alpha, X, sx, Y, sy))
            close(gathered(Y.get(), sy), wide(alpha) * wide(x) + wide(y), dtype, 2, "axpy", letter)
            ok(call(f"cublas{letter}swap_v2", handle, n, X, sx, Y, sy))
            close(gathered(Y.get(), sy), wide(x), dtype, 0, "swap")
            X, Y = of()
            ok(call(f"cublas{letter}copy_v2", handle, n, X, sx, Y, sy))
            close(gathered(Y.get(), sy), wide(x), dtype, 0, "copy")
            for name, wanted in [("dotu" if letter in "CZ" else "dot", wide(x) @ wide(gathered(Y.get(), sy)))] + (
                [("dotc", wide(x).conj() @ wide(gathered(Y.get(), sy)))] if letter in "CZ" else []
            ):
                result = one(0, dtype)
                ok(call(f"cublas{letter}{name}_v2", handle, n, X, sx, Y, sy, result))
                close(result, wanted, dtype, n, name)
            step = abs(sx)
            X = Array(spread(x, step))
            result = one(0, real)
            ok(call(f"cublas{prefix}nrm2_v2", handle, n, X, step, result))
            close(result, np.linalg.norm(wide(x)), real, 4, "nrm2")
            ok(call(f"cublas{prefix}asum_v2", handle, n, X, step, result))
            sizes = np.abs(x.real) + np.abs(x.imag) if letter in "CZ" else np.abs(x)
            close(result, sizes.astype(np.float64).sum(), real, 20, "asum")
            for name, wanted in [("amax", sizes.argmax()), ("amin", sizes.argmin())]:
                place = np.zeros(1, np.int32)
                ok(call(f"cublasI{low}{name}_v2", handle, n, X, step, place))
                assert place[0] == wanted + 1, (name, place, wanted)
            ok(call(f"cublas{letter}scal_v2", handle, n, alpha, X, step))
            close(gathered(X.get(), step), wide(alpha) * wide(x), dtype, 2, "scal")
            X, Y = of()
            cosine, sine = one(0.6, real), one(0.8, dtype)
            ok(call(f"cublas{letter}rot_v2", handle, n, X, sx, Y, sy, cosine, sine))
            close(gathered(X.get(), sx), 0.6 * wide(x) + 0.8 * wide(y), dtype, 4, "rot")
            close(gathered(Y.get(), sy), 0.6 * wide(y) - 0.8 * wide(x), dtype, 4, "rot")
        a, b, cosine, sine = (normal(1, dtype) for _ in range(4))
        cosine = cosine.real.astype(real)
        before = wide(np.array([a[0], b[0]]))
        ok(call(f"cublas{letter}rotg_v2", handle, a, b, cosine, sine))
        turn = np.array([[cosine[0], sine[0]], [-sine[0].conj(), cosine[0]]])
        close(turn @ before, np.array([a[0], 0]), dtype, 4, "rotg")
    # Squares that would overflow and vanish.
    for scale in (1e30, 1e-30):
        values, result = Array(np.full(100, scale, np.float32)), one(0, np.float32)
        ok(call("cublasSnrm2_v2", handle, 100, values, 1, result))
        assert ROCM or abs(result / (10 * scale) - 1) < 1e-6, result


def check_level2():
    steps = [(1, 1), (-2, 3)]
    for (letter, dtype), n, (sx, sy) in itertools.product(KINDS.items(), [1, 5, 70], steps):
        alpha, beta = one(1.5, dtype), one(-0.5, dtype)
        x, y, m = normal(n, dtype), normal(n, dtype), n + 3
        for operation in (N, T, C):
            a = normal((m, n), dtype)
            rows, columns = (m, n) if operation == N else (n, m)
            u, v = normal(columns, dtype), normal(rows, dtype)
            Y = Array(spread(v, sy))
            memory = padded(a)
            arguments = (Array(memory), m + 3, Array(spread(u, sx)), sx, beta, Y, sy)
            ok(call(f"cublas{letter}gemv_v2", handle, operation, m, n, alpha, *arguments))
            wanted = 1.5 * turned(wide(a), operation) @ wide(u) - 0.5 * wide(v)
            close(gathered(Y.get(), sy), wanted, dtype, columns, "gemv", letter, operation)
            below, above = 1, 2
            band = np.zeros((4, n), dtype)
            whole = np.zeros((m, n), dtype)
            for i, j in itertools.product(range(m), range(n)):
                if -above <= i - j <= below:
                    whole[i, j] = band[above + i - j, j] = a[i, j]
            Y = Array(spread(v, sy))
            arguments = (Array(band), 4, Array(spread(u, sx)), sx, beta, Y, sy)
            ok(call(f"cublas{letter}gbmv_v2", handle, operation, m, n, below, above, alpha, *arguments))
            wanted = 1.5 * turned(wide(whole), operation) @ wide(u) - 0.5 * wide(v)
            close(gathered(Y.get(), sy), wanted, dtype, 4, "gbmv", letter, operation)
        for name, other in [("geru", y), ("gerc", y.conj())] if letter in "CZ" else [("ger", y)]:
            A, a = Array(np.asfortranarray(np.outer(x, x))), np.outer(x, x)
            arguments = (Array(spread(x, sx)), sx, Array(spread(y, sy)), sy, A, n)
            ok(call(f"cublas{letter}{name}_v2", handle, n, n, alpha, *arguments))
            close(A.get(), wide(a) + 1.5 * np.outer(wide(x), wide(other)), dtype, 2, name)
        for fill in (LOWER, UPPER):
            a = normal((n, n), dtype) + 2 * np.eye(n, dtype=dtype)
            packed = np.concatenate([a[j:, j] if fill == LOWER else a[: j + 1, j] for j in range(n)])
            k = min(2, n - 1)
            band, part = np.zeros((k + 1, n), dtype), np.zeros((n, n), dtype)
            for i, j in itertools.product(range(n), range(n)):
                if 0 <= (i - j if fill == LOWER else j - i) <= k:
                    part[i, j] = band[i - j if fill == LOWER else k + i - j, j] = a[i, j]
            stored = {"": (a, (), Array(padded(a)), n + 3), "b": (part, (k,), Array(band), k + 1), "p": (a, (), Array(packed), None)}
            families = [("sy", "sb", "sp", dict(symmetric=True))] if letter in "SD" else [("he", "hb", "hp", dict(hermitian=True))]
            for plain, banded, dense, how in families:
                for name, key in [(plain, ""), (banded, "b"), (dense, "p")]:
                    matrix, more, A, leading = stored[key]
                    Y = Array(spread(y, sy))
                    arguments = (A, *([leading] if leading else []), Array(spread(x, sx)), sx, beta, Y, sy)
                    ok(call(f"cublas{letter}{name}mv_v2", handle, fill, n, *more, alpha, *arguments))
                    wanted = 1.5 * triangle(wide(matrix), fill, **how) @ wide(x) - 0.5 * wide(y)
                    close(gathered(Y.get(), sy), wanted, dtype, n, name)
                factor = one(1.5, REAL[letter])
                for name, packs in [(plain, False), (dense, True)]:
                    A = Array(packed if packs else a)
                    tail = () if packs else (n,)
                    ok(call(f"cublas{letter}{name}r_v2", handle, fill, n, factor, Array(spread(x, sx)), sx, A, *tail))
                    w = wide(x)
                    change = 1.5 * np.outer(w, w.conj())
                    compare_triangle(A, a, fill, change, how, packs, dtype, name + "r")
                    A = Array(packed if packs else a)
                    both = one(1.5 - (0.5j if letter in "CZ" else 0), dtype)
                    arguments = (Array(spread(x, sx)), sx, Array(spread(y, sy)), sy, A, *tail)
                    ok(call(f"cublas{letter}{name}r2_v2", handle, fill, n, both, *arguments))
                    change = wide(both) * np.outer(w, wide(y).conj())
                    compare_triangle(A, a, fill, change + change.conj().T, how, packs, dtype, name + "r2")
            for operation, unit in itertools.product((N, T, C), (0, 1)):
                for key in ("", "b", "p"):
                    matrix, more, A, leading = stored[key]
                    # Such that equations do not grow with their number.
                    scaled = 0.3 * matrix / n + 2 * np.diag(np.diag(matrix))
                    memory = {"": padded, "b": lambda m: band_of(m, k, fill), "p": lambda m: packed_of(m, fill)}[key]
                    A = Array(memory(scaled.astype(dtype)))
                    whole = turned(triangle(wide(scaled.astype(dtype)), fill, unit=unit), operation)
                    tail = [leading] if leading else []
                    X = Array(spread(x, sx))
                    name = f"t{'r' if key == '' else key}"
                    ok(call(f"cublas{letter}{name}mv_v2", handle, fill, operation, unit, n, *more, A, *tail, X, sx))
                    close(gathered(X.get(), sx), whole @ wide(x), dtype, n, name, "mv", operation, unit, fill)
                    X = Array(spread(x, sx))
                    ok(call(f"cublas{letter}{name}sv_v2", handle, fill, operation, unit, n, *more, A, *tail, X, sx))
                    solved = gathered(X.get(), sx)
                    close(whole @ wide(solved), wide(x), dtype, 4 * n, name, "sv", operation, unit, fill)


def band_of(matrix, k, fill):
    band = np.zeros((k + 1, len(matrix)), matrix.dtype)
    for i, j in itertools.product(range(len(matrix)), repeat=2):
        if 0 <= (i - j if fill == LOWER else j - i) <= k:
            band[i - j if fill == LOWER else k + i - j, j] = matrix[i, j]
    return band


def packed_of(a, fill):
    return np.concatenate([a[j:, j] if fill == LOWER else a[: j + 1, j] for j in range(len(a))])


def compare_triangle(found, before, fill, change, how, packs, dtype, *what):
    wanted = wide(before) + change
    if how.get("hermitian"):
        np.fill_diagonal(wanted, np.diag(wanted).real)
    if packs:
        return close(found.get(), packed_of(wanted, fill), dtype, 4, *what)
    half = np.tril if fill == LOWER else np.triu
    close(half(found.get()), half(wanted), dtype, 4, *what)
    # The other triangle is the program's.
    other = np.triu if fill == LOWER else np.tril
    offset = 1 if fill == LOWER else -1
    assert (other(found.get(), offset) == other(before, offset)).all(), what


def check_products():
    sizes = [(33, 17, 40)] if FEW else [(1, 1, 1), (64, 64, 64), (33, 17, 40), (200, 100, 300), (4, 3, 0), (300, 8, 500)]
    for (letter, dtype), (m, n, k), ta, tb in itertools.product(KINDS.items(), sizes, (N, T, C), (N, T, C)):
        a = normal((m, k) if ta == N else (k, m), dtype)
        b = normal((k, n) if tb == N else (n, k), dtype)
        before, alpha, beta = normal((m, n), dtype), one(1.5, dtype), one(-0.5, dtype)
        result = Array(padded(before))
        arguments = (Array(padded(a)), len(a) + 3, Array(b), max(1, len(b)), beta, result, m + 3)
        ok(call(f"cublas{letter}gemm_v2", handle, ta, tb, m, n, k, alpha, *arguments), letter, m, n, k)
        wanted = 1.5 * turned(wide(a), ta) @ turned(wide(b), tb) - 0.5 * wide(before)
        close(result.get()[:m], wanted, dtype, k, "gemm", letter, m, n, k, ta, tb)
        assert (result.get()[m:] == 77).all()
    # A factor of zero: what it would multiply is not read.
    nothing = Array(np.full((20, 20), np.nan, np.float32))
    result, zero, two = Array(np.full((20, 20), np.nan, np.float32)), one(0, np.float32), one(2, np.float32)
    ok(call("cublasSgemm_v2", handle, N, N, 20, 20, 20, zero, nothing, 20, nothing, 20, zero, result, 20))
    assert (result.get() == 0).all()
    ones = Array(np.ones((20, 20), np.float32))
    ok(call("cublasSgemm_v2", handle, N, N, 20, 20, 20, two, ones, 20, ones, 20, zero, result, 20))
    assert (result.get() == 40).all()
    ok(call("cublasSgemm_v2", handle, N, N, 20, 20, 20, two, nothing, 20, ones, 20, zero, result, 20))
    assert np.isnan(result.get()).all()
    # Numbers in memory of the device are read when the work runs.
    ok(call("cublasSetPointerMode_v2", handle, 1))
    factors = Array(np.array([3, 0], np.float32))
    second = c.c_void_p(factors.address.value + 4)
    ok(call("cublasSgemm_v2", handle, N, N, 20, 20, 20, factors, ones, 20, ones, 20, second, result, 20))
    assert (result.get() == 60).all()
    place = Array(np.zeros(1, np.float32))
    ok(call("cublasSdot_v2", handle, 400, ones, 1, ones, 1, place))
    assert place.get()[0] == 400
    ok(call("cublasSetPointerMode_v2", handle, 0))


def check_batches():
    count, m, n, k = 5, 20, 13, 33
    for letter, dtype in KINDS.items():
        a, b, before = normal((count, k, m), dtype), normal((count, n, k), dtype), normal((count, n, m), dtype)
        wanted = 1.5 * wide(a).transpose(0, 2, 1) @ wide(b).transpose(0, 2, 1) - 0.5 * wide(before).transpose(0, 2, 1)
        alpha, beta = one(1.5, dtype), one(-0.5, dtype)
        for strided in (True, False):
            A, B, R = (Array(values.ravel()) for values in (a, b, before))
            if strided:
                status = call(
                    f"cublas{letter}gemmStridedBatched", handle, N, N, m, n, k, alpha, A, m, c.c_longlong(m * k),
                    B, k, c.c_longlong(k * n), beta, R, m, c.c_longlong(m * n), count,
                )  # fmt: skip
            else:
                at = [
                    Array(np.array([X.address.value + i * size * a.itemsize for i in range(count)], np.uint64))
                    for X, size in ((A, m * k), (B, k * n), (R, m * n))
                ]
                name = f"cublas{letter}gemmBatched"
                status = call(name, handle, N, N, m, n, k, alpha, at[0], m, at[1], k, beta, at[2], m, count)
            ok(status, letter, strided)
            found = R.get().reshape(count, n, m).transpose(0, 2, 1)
            close(found, wanted, dtype, k, "batch", letter, strided)


def check_level3():
    for (letter, dtype), (m, n), fill in itertools.product(KINDS.items(), [(5, 3), (130, 70), (70, 450)], (LOWER, UPPER)):
        if FEW and m > 5:
            continue
        alpha, beta = one(1.5, dtype), one(-0.5, dtype)
        kinds = [("sy", False)] + ([("he", True)] if letter in "CZ" else [])
        for name, hermitian in kinds:
            how = dict(hermitian=True) if hermitian else dict(symmetric=True)
            for side in (0, 1):
                order = m if side == 0 else n
                a, b, before = normal((order, order), dtype), normal((m, n), dtype), normal((m, n), dtype)
                R = Array(before)
                arguments = (Array(a), order, Array(b), m, beta, R, m)
                ok(call(f"cublas{letter}{name}mm_v2", handle, side, fill, m, n, alpha, *arguments))
                whole = triangle(wide(a), fill, **how)
                product = whole @ wide(b) if side == 0 else wide(b) @ whole
                close(R.get(), 1.5 * product - 0.5 * wide(before), dtype, order, name, "mm", side)
            real = one(1.5, REAL[letter]) if hermitian else alpha
            less = one(-0.5, REAL[letter]) if hermitian else beta
            for operation in (N, C if hermitian else T):
                a, b = (normal((n, m) if operation == N else (m, n), dtype) for _ in range(2))
                before = normal((n, n), dtype)
                u, v = (wide(x) if operation == N else turned(wide(x), operation) for x in (a, b))
                other = (lambda x: x.conj().T) if hermitian else (lambda x: x.T)
                for kind in ("rk", "r2k", "rkx"):
                    second = v if kind == "rkx" else u
                    R = Array(before)
                    if kind == "rk":
                        change = u @ other(u)
                        middle = (real, Array(a), len(a))
                    else:
                        change = u @ other(v) + (v @ other(u) if kind == "r2k" else 0)
                        middle = (alpha, Array(a), len(a), Array(b), len(b))
                    suffix = "" if kind == "rkx" else "_v2"
                    if kind == "rkx" and hermitian:
                        # The product is to be Hermitian.
                        middle, change = (alpha, middle[1], len(a), middle[1], len(a)), u @ other(u)
                    ok(call(f"cublas{letter}{name}{kind}{suffix}", handle, fill, operation, n, m, *middle, less, R, n))
                    wanted = 1.5 * change - 0.5 * wide(before)
                    if hermitian:
                        np.fill_diagonal(wanted, np.diag(wanted).real)
                    half, offset = (np.tril, 1) if fill == LOWER else (np.triu, -1)
                    close(half(R.get()), half(wanted), dtype, m, name, kind, operation)
                    rest = np.triu if fill == LOWER else np.tril
                    assert (rest(R.get(), offset) == rest(before, offset)).all()
        for side, operation, unit in itertools.product((0, 1), (N, T, C), (0, 1)):
            order = m if side == 0 else n
            a = (0.3 * normal((order, order), dtype) / order + 2 * np.eye(order)).astype(dtype)
            b = normal((m, n), dtype)
            whole = turned(triangle(wide(a), fill, unit=unit), operation)
            B = Array(b)
            start = (handle, side, fill, operation, unit, m, n, alpha, Array(a), order)
            ok(call(f"cublas{letter}trmm_v2", *start, B, m, B, m))
            product = whole @ wide(b) if side == 0 else wide(b) @ whole
            close(B.get(), 1.5 * product, dtype, order, "trmm", side, operation, unit, fill)
            B = Array(padded(b))
            ok(call(f"cublas{letter}trsm_v2", *start, B, m + 3))
            x = wide(B.get()[:m])
            close(whole @ x if side == 0 else x @ whole, 1.5 * wide(b), dtype, 4 * order, "trsm", side, operation, unit)
        for ta, tb in itertools.product((N, T, C), repeat=2):
            a, b = (normal((m, n) if t == N else (n, m), dtype) for t in (ta, tb))
            R = Array(np.full((m, n), np.nan, dtype))
            ok(call(f"cublas{letter}geam", handle, ta, tb, m, n, alpha, Array(a), len(a), beta, Array(b), len(b), R, m))
            close(R.get(), 1.5 * turned(wide(a), ta) - 0.5 * turned(wide(b), tb), dtype, 2, "geam")
        for side, step in itertools.product((0, 1), (1, -2)):
            a, x = normal((m, n), dtype), normal(m if side == 0 else n, dtype)
            R = Array(a)
            ok(call(f"cublas{letter}dgmm", handle, side, m, n, Array(a), m, Array(spread(x, step)), step, R, m))
            wanted = wide(x)[:, None] * wide(a) if side == 0 else wide(a) * wide(x)
            close(R.get(), wanted, dtype, 1, "dgmm", side, step)


FORMATS = {"f16": (2, np.float16, 2.0**-11), "bf16": (14, np.uint16, 2.0**-8), "f32": (0, np.float32, 2.0**-23)}


def narrow(values, format):
    """Numbers of a format, and what they are in double precision."""
    if format == "bf16":
        bits = values.astype(np.float32).view(np.uint32)
        bits = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
        return bits, (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    stored = values.astype(FORMATS[format][1])
    return stored, stored.astype(np.float64)


def widened(values, format):
    if format == "bf16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.float64)


def rounded_once(found, wanted, format, depth, *what):
    """Half a unit of the last place, beside what sums of 32 bits leave."""
    step = FORMATS[format][2]
    sums = depth * 2.0**-24 * np.abs(wanted).max(initial=1)
    error = np.abs(found - wanted)
    assert (error <= step * np.abs(wanted) * 1.01 + 4 * sums + 1e-7).all(), (error.max(), *what)


COMPUTE = {"16F": 64, "32F": 68, "32I": 72, "64F": 70}


def check_mixed():
    m, n, k = 37, 21, 130
    for inputs, output, compute in [
        ("f16", "f16", "32F"), ("f16", "f32", "32F"), ("bf16", "bf16", "32F"), ("bf16", "f32", "32F"),
        ("f16", "f16", "16F"), ("f32", "f32", "32F"),
    ]:  # fmt: skip
        for ta, tb in itertools.product((N, T), repeat=2):
            a, wide_a = narrow(random.standard_normal((m, k) if ta == N else (k, m)), inputs)
            b, wide_b = narrow(random.standard_normal((k, n) if tb == N else (n, k)), inputs)
            before, wide_c = narrow(random.standard_normal((m, n)), output)
            factor = np.float16 if compute == "16F" else np.float32
            alpha, beta, R = one(1.5, factor), one(-0.5, factor), Array(before)
            of, to = FORMATS[inputs][0], FORMATS[output][0]
            arguments = (Array(a), of, len(a), Array(b), of, len(b), beta, R, to, m, COMPUTE[compute], -1)
            ok(call("cublasGemmEx", handle, ta, tb, m, n, k, alpha, *arguments))
            if compute == "16F" and ROCM:
                continue
            wanted = 1.5 * turned(wide_a, ta) @ turned(wide_b, tb) - 0.5 * wide_c
            rounded_once(widened(R.get(), output), wanted, output, k, inputs, output, compute, ta, tb)
    # Bytes, exactly: sums that no float of 32 bits holds, and such that wrap around.
    depth = 5000
    a, b = (random.integers(-128, 128, shape, np.int8) for shape in ((depth, 8), (depth, 4)))
    R, alpha, beta = Array(np.zeros((8, 4), np.int32)), one(3, np.int32), one(0, np.int32)
    arguments = (Array(a), 3, depth, Array(b), 3, depth, beta, R, 10, 8, COMPUTE["32I"], -1)
    ok(call("cublasGemmEx", handle, T, N, 8, 4, depth, alpha, *arguments))
    assert (R.get() == 3 * (a.astype(np.int64).T @ b.astype(np.int64))).all()
    # Types that do not go together.
    assert call("cublasGemmEx", handle, T, N, 8, 4, depth, alpha, *arguments[:8], 1, 8, COMPUTE["32I"], -1) == 15


class Object:
    """An object of cuBLASLt, with attributes by number."""

    def __init__(self, name, *arguments):
        self.name, self.address = name, c.c_void_p()
        ok(call(f"cublasLt{name}Create", c.byref(self.address), *arguments))

    def set(self, attribute, value):
        size = c.c_size_t(value.nbytes)
        ok(call(f"cublasLt{self.name}SetAttribute", self.address, attribute, value, size), attribute)

    def __del__(self):
        ok(call(f"cublasLt{self.name}Destroy", self.address))


def layout(matrix, type, order=0, leading=None):
    rows, columns = matrix
    leading = leading or (rows if order == 0 else columns)
    made = Object("MatrixLayout", type, c.c_uint64(rows), c.c_uint64(columns), c.c_int64(leading))
    made.set(1, np.array([order], np.int32))
    return made


light = c.c_void_p()
WORD, LONG = (lambda v: np.array([v], np.int32)), (lambda v: np.array([v], np.int64))


def matmul(kind, compute, scale, alpha, a, b, beta, C_, D, shapes, attributes, types, orders=(0, 0, 0, 0)):
    description = Object("MatmulDesc", COMPUTE[compute], scale)
    for attribute, value in attributes.items():
        description.set(attribute, value)
    layouts = [layout(shape, type, order) for shape, type, order in zip(shapes, types, orders)]
    preference = Object("MatmulPreference")
    preference.set(1, LONG(1 << 20))
    results, count = np.zeros(12, np.uint64), np.zeros(1, np.int32)
    objects = [x.address for x in layouts]
    status = call("cublasLtMatmulAlgoGetHeuristic", light, description.address, *objects, preference.address, 1, results, count)
    ok(status, kind)
    assert count[0] == 1
    places = [x for pair in zip((a, b), objects) for x in pair]
    tail = (beta, C_, objects[2], D, objects[3], results, None, c.c_size_t(0), None)
    ok(call("cublasLtMatmul", light, description.address, alpha, *places, *tail), kind)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def check_light_double():
    """Double precision has the epilogues of single precision, as on an H100."""
    m, n, k, leading = 6, 5, 4, 8
    a, b, before, bias = (random.standard_normal(shape) for shape in ((m, k), (k, n), (m, n), m))
    alpha, beta, F64 = one(0.5, np.float64), one(-1.5, np.float64), 1
    A, B, CC, BIAS = (Array(x) for x in (a, b, before, bias))
    shapes, types = [(m, k), (k, n), (m, n), (m, n)], [F64] * 4
    product = 0.5 * a @ b - 1.5 * before
    with_bias = product + bias[:, None]
    slope = (gelu(with_bias + 1e-6) - gelu(with_bias - 1e-6)) / 2e-6
    kept, masks = Array(np.zeros((leading, n))), Array(np.zeros((16, n), np.uint8))
    wanted = {
        2: np.maximum(product, 0), 4: with_bias, 6: np.maximum(with_bias, 0), 32: gelu(product), 36: gelu(with_bias),
        134: np.maximum(with_bias, 0), 152: product * (with_bias > 0), 164: gelu(with_bias), 192: product * slope,
    }  # fmt: skip
    for epilogue, result in wanted.items():
        D, sums = Array(np.zeros((m, n))), Array(np.zeros(m))
        attributes = {7: WORD(epilogue), 8: LONG((sums if epilogue == 152 else BIAS).address.value)}
        if epilogue & 128:
            aux, step = (masks, 128) if epilogue & 10 else (kept, leading)
            attributes |= {11: LONG(aux.address.value), 12: LONG(step)}
        matmul(("double", epilogue), "64F", F64, alpha, A, B, beta, CC, D, shapes, attributes, types)
        assert np.allclose(D.get(), result, rtol=0, atol=1e-8 if epilogue == 192 else 1e-14), epilogue
        if epilogue == 152:
            assert np.allclose(sums.get(), result.sum(1), rtol=0, atol=1e-14)
        if epilogue == 164:
            assert np.allclose(kept.get()[:m], with_bias, rtol=0, atol=1e-14)
    for epilogue, result in {256: a.sum(1), 512: b.sum(0)}.items():
        D, sums = Array(np.zeros((m, n))), Array(np.zeros(len(result)))
        attributes = {7: WORD(epilogue), 8: LONG(sums.address.value)}
        matmul(("double", epilogue), "64F", F64, alpha, A, B, beta, CC, D, shapes, attributes, types)
        assert np.allclose(sums.get(), result, rtol=0, atol=1e-14), epilogue


def check_light():
    ok(call("cublasLtCreate", c.byref(light)))
    check_light_double()
    m, n, k = 48, 21, 70
    alpha, beta = one(0.5, np.float32), one(-1.5, np.float32)
    for format in FORMATS:
        type = FORMATS[format][0]
        a, wide_a = narrow(random.standard_normal((k, m)), format)
        b, wide_b = narrow(random.standard_normal((k, n)), format)
        before, wide_c = narrow(random.standard_normal((m, n)), format)
        bias, wide_bias = narrow(random.standard_normal(m), format)
        product = 0.5 * wide_a.T @ wide_b - 1.5 * wide_c
        A, B, CC, bias = Array(a), Array(b), Array(before), Array(bias)
        shapes, types = [(k, m), (k, n), (m, n), (m, n)], [type] * 4
        with_bias = product + wide_bias[:, None]
        leading = 128
        for epilogue, wanted in {
            1: product, 2: np.maximum(product, 0), 4: with_bias, 6: np.maximum(with_bias, 0), 32: gelu(product),
            36: gelu(with_bias), 134: np.maximum(with_bias, 0), 164: gelu(with_bias),
        }.items():  # fmt: skip
            D = Array(np.zeros_like(before))
            attributes = {3: WORD(T), 7: WORD(epilogue), 8: LONG(bias.address.value)}
            masks = Array(np.zeros((leading // 8, n), np.uint8))
            kept = Array(np.zeros((leading, n), FORMATS[format][1]))
            if epilogue & 128:
                aux = masks if epilogue & 2 else kept
                attributes |= {11: LONG(aux.address.value), 12: LONG(leading)}
            matmul((format, epilogue), "32F", 0, alpha, A, B, beta, CC, D, shapes, attributes, types)
            rounded_once(widened(D.get(), format), wanted, format, k, format, epilogue)
            if epilogue == 134:
                bits = np.unpackbits(masks.get(), axis=0, bitorder="little")[:m]
                sure = np.abs(with_bias) > 1e-3
                assert (bits == (with_bias > 0))[sure].all()
                # The gradient at what was kept, and its sums.
                G, sums = Array(np.zeros_like(before)), Array(np.zeros_like(bias.get()))
                attributes = {3: WORD(T), 7: WORD(152), 8: LONG(sums.address.value), 11: attributes[11], 12: attributes[12]}
                matmul("drelu", "32F", 0, alpha, A, B, beta, CC, G, shapes, attributes, types)
                wanted = np.where(bits, product, 0)
                rounded_once(widened(G.get(), format), wanted, format, k, "drelu")
                rounded_once(widened(sums.get(), format), wanted.sum(1), format, 64 * k, "sums")
            if epilogue == 164:
                rounded_once(widened(kept.get()[:m], format), with_bias, format, k, "kept")
        # Sums of a factor.
        for epilogue, wanted in {256: wide_a.sum(0), 512: wide_b.sum(0)}.items():
            sums, D = Array(np.zeros(len(wanted), before.dtype)), Array(np.zeros_like(before))
            attributes = {3: WORD(T), 7: WORD(epilogue), 8: LONG(sums.address.value)}
            matmul("bgrad", "32F", 0, alpha, A, B, beta, CC, D, shapes, attributes, types)
            rounded_once(widened(sums.get(), format), wanted, format, 16 * k, "bgrad", epilogue)
        # Rows one after the other.
        D = Array(np.zeros((n, m), before.dtype))
        orders, at = (1, 0, 0, 1), [(m, k), (k, n), (m, n), (m, n)]
        matmul("rows", "32F", 0, alpha, A, B, beta, CC, D, at, {}, types, orders)
        rounded_once(widened(D.get(), format).T, product, format, k, "rows", format)
    # Eight bits: numbers that both formats hold, so that the product is exact; factors, and the greatest element.
    values = np.array([0, 1, 2, 3, 4, 5, 6, 7], np.uint8)
    codes = np.array([0x00, 0x38, 0x40, 0x44, 0x48, 0x4A, 0x4C, 0x4E], np.uint8)
    x, y = random.integers(0, 8, (32, 16)), random.integers(0, 8, (32, 16))
    R, two, half, largest = (Array(v) for v in (
        np.zeros((16, 16), np.float32), np.array([2], np.float32), np.array([0.5], np.float32), np.zeros(1, np.float32)))
    attributes = {3: WORD(T), 17: LONG(two.address.value), 18: LONG(half.address.value), 21: LONG(largest.address.value)}
    one_, zero = one(1, np.float32), one(0, np.float32)
    X, Y = Array(codes[x]), Array(codes[y])
    matmul("fp8", "32F", 0, one_, X, Y, zero, R, R, [(32, 16), (32, 16), (16, 16), (16, 16)], attributes, [28, 28, 0, 0])
    wanted = values[x].astype(float).T @ values[y]
    assert (R.get() == wanted).all() and largest.get()[0] == wanted.max()
    for kind, compute, scale in [(np.float64, "64F", 1), (np.complex64, "32F", 4), (np.complex128, "64F", 5)]:
        p, q, r = normal((k, m), kind), normal((k, n), kind), normal((m, n), kind)
        D = Array(np.zeros((m, n), kind))
        factors = one(0.5, kind), one(-1.5, kind)
        shapes = [(k, m), (k, n), (m, n), (m, n)]
        matmul(kind, compute, scale, factors[0], Array(p), Array(q), factors[1], Array(r), D, shapes, {3: WORD(C)}, [scale] * 4)
        close(D.get(), 0.5 * wide(p).conj().T @ wide(q) - 1.5 * wide(r), kind, k, "light", kind)
    ok(call("cublasLtDestroy", light))


def check_solvers():
    count, n, sides = 4, 45, 3
    for letter, dtype in KINDS.items():
        a = normal((count, n, n), dtype)
        b = normal((count, sides, n), dtype)
        A, B, X = Array(a.ravel()), Array(b.ravel()), Array(np.zeros(count * n * n, dtype))
        at = [
            Array(np.array([Y.address.value + i * size * a.itemsize for i in range(count)], np.uint64))
            for Y, size in ((A, n * n), (B, n * sides), (X, n * n))
        ]
        pivots, infos, info = Array(np.zeros(count * n, np.int32)), Array(np.ones(count, np.int32)), np.ones(1, np.int32)
        ok(call(f"cublas{letter}getrfBatched", handle, n, at[0], n, pivots, infos, count))
        assert (infos.get() == 0).all()
        lu = wide(A.get()).reshape(count, n, n).transpose(0, 2, 1)
        for matrix, both, order in zip(a, lu, pivots.get().reshape(count, n)):
            whole = wide(matrix).T.copy()
            for i, other in enumerate(order):
                whole[[i, other - 1]] = whole[[other - 1, i]]
            close((np.tril(both, -1) + np.eye(n)) @ np.triu(both), whole, dtype, n, "getrf")
        for operation in (N, T, C):
            ok(driver.cuMemcpyHtoD_v2(B.address, host(b), c.c_size_t(b.nbytes)))
            ok(call(f"cublas{letter}getrsBatched", handle, operation, n, sides, at[0], n, pivots, at[1], n, info, count))
            assert info[0] == 0
            for matrix, right, x in zip(a, b, B.get().reshape(count, sides, n)):
                left = turned(wide(matrix).T, operation) @ wide(x).T
                bound = np.abs(x).max() * n
                assert np.abs(left - wide(right).T).max() < 64 * np.finfo(dtype).eps * n * bound, "getrs"
        ok(call(f"cublas{letter}getriBatched", handle, n, at[0], n, pivots, at[2], n, infos, count))
        for matrix, inverse in zip(a, X.get().reshape(count, n, n)):
            error = np.abs(wide(matrix).T @ wide(inverse).T - np.eye(n)).max()
            assert error < 64 * np.finfo(dtype).eps * n * n * np.abs(inverse).max(), (letter, "getri", error)
        # Matrices without an inverse, as NVIDIA's library leaves them.
        a = np.array([np.zeros((2, 2)), np.ones((2, 2)), np.eye(2)], dtype)
        A, X = Array(a.ravel()), Array(np.zeros(12, dtype))
        at = [Array(np.array([Y.address.value + i * 4 * a.itemsize for i in range(3)], np.uint64)) for Y in (A, X)]
        pivots, infos = Array(np.zeros(6, np.int32)), Array(np.ones(3, np.int32))
        ok(call(f"cublas{letter}getrfBatched", handle, 2, at[0], 2, pivots, infos, 3))
        ok(call(f"cublas{letter}getriBatched", handle, 2, at[0], 2, pivots, at[1], 2, infos, 3))
        inf, nan = np.inf, np.nan
        wanted, found = np.array([nan, nan, nan, inf, inf, -inf, -inf, inf, 1, 0, 0, 1]), X.get()
        assert (infos.get() == [1, 2, 0]).all(), (letter, "getri", infos.get())
        if letter in "SD":
            np.testing.assert_array_equal(found, wanted)
        assert (np.isfinite(found) == np.isfinite(wanted)).all(), (letter, "getri", found)
        # Least squares by NumPy's own.
        rows, columns = 30, 11
        a, b = normal((columns, rows), dtype), normal((sides, rows), dtype)
        A, B, tau = Array(a.ravel()), Array(b.ravel()), Array(np.zeros(columns, dtype))
        at = [Array(np.array([Y.address.value], np.uint64)) for Y in (A, B, tau)]
        ok(call(f"cublas{letter}gelsBatched", handle, N, rows, columns, sides, at[0], rows, at[1], rows, info, None, 1))
        wanted = np.linalg.lstsq(wide(a).T, wide(b).T, rcond=None)[0]
        found = B.get().reshape(sides, rows).T[:columns]
        close(found, wanted, dtype, 64 * rows, "gels")
        if letter in "SC":
            # Rounded once.
            assert (np.abs(wide(found) - wanted) <= np.finfo(dtype).eps * np.abs(wanted)).all(), (letter, "gels")
        A = Array(a.ravel())
        at[0] = Array(np.array([A.address.value], np.uint64))
        # Matrices without elements lie nowhere.
        nowhere = Array(np.zeros(2, np.uint64))
        ok(call(f"cublas{letter}geqrfBatched", handle, rows, 0, nowhere, rows, nowhere, info, 2))
        ok(call(f"cublas{letter}geqrfBatched", handle, rows, columns, at[0], rows, at[2], info, 1))
        r = np.triu(wide(A.get()).reshape(columns, rows).T)[:columns]
        close(r.conj().T @ r, wide(a).conj() @ wide(a).T, dtype, 8 * rows, "geqrf")


def check_copies():
    a = normal((7, 5), np.float32)
    D, back = Array(np.zeros((9, 5), np.float32)), np.zeros((8, 5), np.float32, order="F")
    source = np.asfortranarray(a)
    ok(call("cublasSetMatrix", 7, 5, 4, source, 7, D, 9))
    assert (D.get()[:7] == a).all() and (D.get()[7:] == 0).all()
    ok(call("cublasGetMatrix", 7, 5, 4, D, 9, back, 8))
    assert (back[:7] == a).all()
    vector = np.arange(10, dtype=np.float64)
    V = Array(np.zeros(30))
    ok(call("cublasSetVector", 5, 8, vector, 2, V, 3))
    assert (V.get()[:15:3] == vector[::2]).all() and V.get().sum() == 20
    assert call("cublasSetVector", 5, 8, vector, 0, V, 3) == INVALID_VALUE


def check_statuses():
    """Wrong arguments, one at a time and two at a time, have NVIDIA's statuses."""
    folder = os.environ["NVIDIA_LIBRARIES"]
    c.CDLL(os.path.join(folder, "libcublasLt.so.13"))
    theirs = c.CDLL(os.path.join(folder, "libcublas.so.13"))
    handles = {blas: handle, theirs: create(theirs)}
    a, f = Array(np.ones(400, np.float32)), one(1, np.float32)
    right = {
        "cublasSgemm_v2": [N, N, 4, 4, 4, f, a, 4, a, 4, f, a, 4],
        # Of gemv, NVIDIA's library takes whatever it gets.
        "cublasSger_v2": [4, 4, f, a, 1, a, 1, a, 4],
        "cublasSsymv_v2": [0, 4, f, a, 4, a, 1, f, a, 1],
        "cublasStrsv_v2": [0, N, 0, 4, a, 4, a, 1],
        "cublasStrmv_v2": [0, N, 0, 4, a, 4, a, 1],
        "cublasSsyr_v2": [0, 4, f, a, 1, a, 4],
        "cublasSsyrk_v2": [0, N, 4, 4, f, a, 4, f, a, 4],
        "cublasSsymm_v2": [0, 0, 4, 4, f, a, 4, a, 4, f, a, 4],
        "cublasStrsm_v2": [0, 0, N, 0, 4, 4, f, a, 4, a, 4],
        "cublasStrmm_v2": [0, 0, N, 0, 4, 4, f, a, 4, a, 4, a, 4],
        "cublasSgeam": [N, N, 4, 4, f, a, 4, f, a, 4, a, 4],
        "cublasSaxpy_v2": [4, f, a, 1, a, 1],
        "cublasSscal_v2": [4, f, a, 1],
        "cublasSdot_v2": [4, a, 1, a, 1, f],
        "cublasSnrm2_v2": [4, a, 1, f],
        "cublasSetPointerMode_v2": [0],
        "cublasSetMathMode": [0],
        "cublasSetAtomicsMode": [0],
    }
    differing = []
    for name, arguments in right.items():
        tries = [arguments]
        for place, value in enumerate(arguments):
            # NVIDIA's library ends the program where a factor has no address.
            wrong = [-1, 9] if isinstance(value, int) and value in (0, N) else [-1, 0, 3] if isinstance(value, int) else []
            tries += [arguments[:place] + [bad] + arguments[place + 1 :] for bad in wrong]
        for arguments in tries:
            found, wanted = (call(name, h, *arguments, library=library) for library, h in handles.items())
            if found != wanted:
                differing.append((name, [x if isinstance(x, int) else "*" for x in arguments], found, wanted))
        assert call(name, None, *arguments) == NOT_INITIALIZED
    assert not differing, "\n".join(map(str, differing))


if __name__ == "__main__":
    check_products()
    check_batches()
    check_mixed()
    check_light()
    check_solvers()
    check_copies()
    if not FEW:
        check_level1()
        check_level2()
    check_level3()
    if os.environ.get("NVIDIA_LIBRARIES") and not FEW and not ROCM:
        check_statuses()
    ok(blas.cublasDestroy_v2(handle))
    assert blas.cublasDestroy_v2(handle) == NOT_INITIALIZED
