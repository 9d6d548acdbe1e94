"""The functions of ZLUDA's cuBLAS whose operands have any type, lie on the host or come in groups, against NumPy."""

import ctypes as c
import itertools

import numpy as np
from blas_products import (
    COMPUTE, FEW, KINDS, LOWER, Array, N, Object, T, blas, call, close, gathered, handle, layout, narrow, normal, ok, one,
    random, rounded_once, spread, turned, wide, widened,
)  # fmt: skip

NOT_INITIALIZED, INVALID_VALUE, NOT_SUPPORTED = 1, 7, 15
F32, F64, F16, C32, C64, I8, I32, BF16 = 0, 1, 2, 4, 5, 3, 10, 14
TYPES = {"S": F32, "D": F64, "C": C32, "Z": C64}


def check_vectors():
    n = 1000
    for letter, step_x, step_y in itertools.product(KINDS, (1, -2), (1, 3)):
        dtype, type = KINDS[letter], TYPES[letter]
        x, y = normal(n, dtype), normal(n, dtype)
        alpha = one(1.5, dtype)
        X, Y = Array(spread(x, step_x)), Array(spread(y, step_y))
        ok(call("cublasAxpyEx", handle, n, alpha, type, X, type, step_x, Y, type, step_y, type))
        close(gathered(Y.get(), step_y), 1.5 * wide(x) + wide(y), dtype, 1, "axpy", letter)
        for name, left in {"DotEx": x, "DotcEx": x.conj()}.items():
            Y, result = Array(spread(y, step_y)), one(0, dtype)
            ok(call(f"cublas{name}", handle, n, X, type, step_x, Y, type, step_y, result, type, type))
            close(result, wide(left) @ wide(y), dtype, n, name, letter)
        if step_x > 0:
            X = Array(spread(x, step_x))
            ok(call("cublasScalEx", handle, n, alpha, type, X, type, step_x, type))
            close(gathered(X.get(), step_x), 1.5 * wide(x), dtype, 1, "scal", letter)
    for format, type in {"f16": F16, "bf16": BF16}.items():
        x, wide_x = narrow(random.standard_normal(n), format)
        y, wide_y = narrow(random.standard_normal(n), format)
        alpha, none = one(1.5, np.float32), np.zeros(1, x.dtype)
        X, Y = Array(spread(x, -2)), Array(y)
        ok(call("cublasAxpyEx", handle, n, alpha, F32, X, type, -2, Y, type, 1, F32))
        rounded_once(widened(Y.get(), format), 1.5 * wide_x + wide_y, format, 1, "axpy", format)
        X, Y = Array(x), Array(y)
        for name, wanted in {"DotEx": wide_x @ wide_y, "Nrm2Ex": np.sqrt(wide_x @ wide_x), "AsumEx": np.abs(wide_x).sum()}.items():
            result = none.copy()
            second = (Y, type, 1) if name == "DotEx" else ()
            ok(call(f"cublas{name}", handle, n, X, type, 1, *second, result, type, F32))
            rounded_once(widened(result, format)[0], wanted, format, 1, name, format)
        for name in ("DotEx", "Nrm2Ex", "AsumEx"):
            result, second = np.full_like(none, 1), (X, type, 1) if name == "DotEx" else ()
            ok(call(f"cublas{name}", handle, 0, X, type, 1, *second, result, type, F32))
            assert result.view(np.uint16)[0] == 0, name
        place = np.zeros(1, np.int32)
        ok(call("cublasIamaxEx", handle, n, X, type, 1, place))
        assert place[0] == np.abs(wide_x).argmax() + 1
        ok(call("cublasIaminEx", handle, n, X, type, 1, place))
        assert place[0] == np.abs(wide_x).argmin() + 1
        (cosine, wide_c), (sine, wide_s) = narrow(np.array([0.6]), format), narrow(np.array([0.8]), format)
        ok(call("cublasRotEx", handle, n, X, type, 1, Y, type, 1, cosine, sine, type, F32))
        rounded_once(widened(X.get(), format), wide_c * wide_x + wide_s * wide_y, format, 2, "rot", format)
        rounded_once(widened(Y.get(), format), wide_c * wide_y - wide_s * wide_x, format, 2, "rot", format)
        X, Y = Array(x), Array(y)
        ok(call("cublasSwapEx", handle, n, X, type, 1, Y, type, 1))
        assert (X.get() == y).all() and (Y.get() == x).all()
        ok(call("cublasCopyEx", handle, n, X, type, 1, Y, type, 1))
        assert (Y.get() == y).all()
        ok(call("cublasScalEx", handle, n, alpha, F32, X, type, 1, F32))
        rounded_once(widened(X.get(), format), 1.5 * wide_y, format, 1, "scal", format)
    # Types that do not go together.
    X = Array(np.ones(4, np.float32))
    assert call("cublasDotEx", handle, 4, X, F32, 1, X, F64, 1, one(0, np.float32), F32, F32) == NOT_SUPPORTED
    assert call("cublasDotEx", None, 4, X, F32, 1, X, F32, 1, one(0, np.float32), F32, F32) == NOT_INITIALIZED


def pointers(arrays):
    return Array(np.array([array.address.value for array in arrays], np.uint64))


def check_halves():
    """Products of halves, of which the sums are what hardware's of 16 bits is: no less exact than single precision here."""
    m, n, k, count = 19, 11, 40, 3
    alpha, beta = one(1.5, np.float16), one(-0.5, np.float16)
    for ta, tb in itertools.product((N, T), repeat=2):
        a = random.standard_normal((count, *((m, k) if ta == N else (k, m)))).astype(np.float16)
        b = random.standard_normal((count, *((k, n) if tb == N else (n, k)))).astype(np.float16)
        before = random.standard_normal((count, m, n)).astype(np.float16)
        wanted = [1.5 * turned(wide(x), ta) @ turned(wide(y), tb) - 0.5 * wide(z) for x, y, z in zip(a, b, before)]
        lda, ldb = a.shape[1], b.shape[1]
        A, B, R = ([Array(x) for x in values] for values in (a, b, before))
        ok(call("cublasHgemm", handle, ta, tb, m, n, k, alpha, A[0], lda, B[0], ldb, beta, R[0], m))
        rounded_once(wide(R[0].get()), wanted[0], "f16", k, "one", ta, tb)
        R = [Array(x) for x in before]
        places = [pointers(x) for x in (A, B, R)]
        ok(call("cublasHgemmBatched", handle, ta, tb, m, n, k, alpha, places[0], lda, places[1], ldb, beta, places[2], m, count))
        for result, value in zip(R, wanted):
            rounded_once(wide(result.get()), value, "f16", k, "batched", ta, tb)
        A, B, R = (Array(np.concatenate([x.T.ravel() for x in values])) for values in (a, b, before))
        steps = [c.c_longlong(size) for size in (m * k, k * n, m * n)]
        ok(call("cublasHgemmStridedBatched", handle, ta, tb, m, n, k, alpha, A, lda, steps[0], B, ldb, steps[1], beta, R, m, steps[2], count))
        for result, value in zip(R.get().reshape(count, n, m), wanted):
            rounded_once(wide(result.T), value, "f16", k, "strided", ta, tb)


def check_groups():
    sizes, counts = [(5, 7, 9), (16, 3, 30), (1, 1, 1)], [2, 1, 3]
    operations = [(N, T), (T, N), (N, N)]
    words = lambda values: np.array(values, np.int32)
    for name, dtype, factor in [("S", np.float32, np.float32), ("D", np.float64, np.float64), ("half", np.float16, np.float32)]:
        A, B, R, wanted, leading = [], [], [], [], [[], [], []]
        alpha, beta = np.array([1.5, -1, 2], factor), np.array([0, 0.5, 1], factor)
        for group, ((m, n, k), (ta, tb)) in enumerate(zip(sizes, operations)):
            for _ in range(counts[group]):
                a = normal((m, k) if ta == N else (k, m), dtype)
                b = normal((k, n) if tb == N else (n, k), dtype)
                before = normal((m, n), dtype)
                wanted.append(alpha[group] * turned(wide(a), ta) @ turned(wide(b), tb) + beta[group] * wide(before))
                A.append(Array(a)), B.append(Array(b)), R.append(Array(before))
            for array, rows in zip(leading, (len(a), len(b), m)):
                array.append(rows)
        ta, tb = (words(x) for x in zip(*operations))
        shape = [words(x) for x in zip(*sizes)]
        lda, ldb, ldc = map(words, leading)
        a, b, r = pointers(A), pointers(B), pointers(R)
        if name == "half":
            tail = (beta, r, F16, ldc, 3, words(counts), COMPUTE["32F"])
            ok(call("cublasGemmGroupedBatchedEx", handle, ta, tb, *shape, alpha, a, F16, lda, b, F16, ldb, *tail))
        else:
            ok(call(f"cublas{name}gemmGroupedBatched", handle, ta, tb, *shape, alpha, a, lda, b, ldb, beta, r, ldc, 3, words(counts)))
        for result, value in zip(R, wanted):
            if name == "half":
                rounded_once(wide(result.get()), value, "f16", 30, "groups")
            else:
                close(result.get(), value, dtype, 30, "groups", name)


def check_host():
    """cuBLASXt: memory of the program."""
    xt, size = c.c_void_p(), c.c_size_t
    m, n, k = 70, 31, 44
    ok(call("cublasXtCreate", c.byref(xt)))
    a, b = (np.asfortranarray(normal(shape, np.float32)) for shape in ((m, k), (k, n)))
    before = np.asfortranarray(normal((m, n), np.float32))
    alpha, beta = one(1.5, np.float32), one(-0.5, np.float32)

    def product(result):
        dims = (size(m), size(n), size(k))
        return call("cublasXtSgemm", xt, N, N, *dims, alpha, a, size(m), b, size(k), beta, result, size(m))

    assert product(before.copy(order="F")) == NOT_INITIALIZED
    assert call("cublasXtDeviceSelect", xt, 1, np.array([99], np.int32)) == INVALID_VALUE
    ok(call("cublasXtDeviceSelect", xt, 1, np.zeros(1, np.int32)))
    assert call("cublasXtSetBlockDim", xt, 0) == INVALID_VALUE
    ok(call("cublasXtSetBlockDim", xt, 64))
    block = np.zeros(1, np.int32)
    ok(call("cublasXtGetBlockDim", xt, block))
    assert block[0] == 64
    result = before.copy(order="F")
    ok(product(result))
    close(result, 1.5 * wide(a) @ wide(b) - 0.5 * wide(before), np.float32, k, "host")
    z = np.asfortranarray(normal((n, k), np.complex64))
    triangle = np.zeros((n, n), np.complex64, order="F")
    factors = one(2, np.float32), one(0, np.float32)
    ok(call("cublasXtCherk", xt, LOWER, N, size(n), size(k), factors[0], z, size(n), factors[1], triangle, size(n)))
    close(np.tril(triangle), np.tril(2 * wide(z) @ wide(z).conj().T), np.complex64, k, "herk")
    ok(call("cublasXtDestroy", xt))
    assert product(result) == NOT_INITIALIZED


def check_transforms():
    light = c.c_void_p()
    ok(call("cublasLtCreate", c.byref(light)))
    m, n = 33, 70
    alpha, beta = one(2, np.float32), one(-1, np.float32)
    a, b = random.integers(-50, 50, (n, m), np.int8), normal((m, n), np.float32)
    made = Object("MatrixTransformDesc", F32)
    made.set(2, np.array([T], np.int32))
    A, B, R = Array(a), Array(np.ascontiguousarray(b).T), Array(np.zeros((m, n), np.float16))
    layouts = [layout((n, m), I8), layout((m, n), F32, order=1), layout((m, n), F16)]
    places = [x.address for x in layouts]
    ok(call("cublasLtMatrixTransform", light, made.address, alpha, A, places[0], beta, B, places[1], R, places[2], None))
    rounded_once(wide(R.get()), 2.0 * a.T - wide(b), "f16", 1, "transform")
    # Stripes of 32 columns, and back; bytes saturate.
    stripes, back = Array(np.zeros((32 * m, 3), np.int8)), Array(np.zeros((m, n), np.int8))
    plain = Object("MatrixTransformDesc", F32)
    values = random.integers(-128, 128, (m, n), np.int8)
    striped = Object("MatrixLayout", I8, c.c_uint64(m), c.c_uint64(n), c.c_int64(32 * m))
    striped.set(1, np.array([2], np.int32))
    straight = Object("MatrixLayout", I8, c.c_uint64(m), c.c_uint64(n), c.c_int64(m))
    source, none = Array(values), (None, None, None)
    ok(call("cublasLtMatrixTransform", light, plain.address, one(1, np.float32), source, straight.address, *none, stripes, striped.address, None))
    memory = stripes.get().ravel(order="F")
    assert all((memory[j // 32 * 32 * m + i * 32 + j % 32] == values[i, j]) for i in range(m) for j in range(n))
    ok(call("cublasLtMatrixTransform", light, plain.address, alpha, stripes, striped.address, *none, back, straight.address, None))
    assert (back.get() == np.clip(2 * values.astype(int), -128, 127)).all()
    assert call("cublasLtMatrixTransform", light, plain.address, alpha, source, straight.address, *none, back, layouts[0].address, None) == INVALID_VALUE
    # Objects in memory of the program, as `cublasLtMatmulDescInit` of the header makes them.
    memory = [np.zeros(64, np.uint64) for _ in range(5)]
    size = c.c_size_t(512)
    ok(call("cublasLtMatmulDescInit_internal", memory[0], size, COMPUTE["32F"], F32))
    x, y = normal((m, n), np.float32), normal((n, m), np.float32)
    for place, (rows, columns) in zip(memory[1:4], [(m, n), (n, m), (m, m)]):
        ok(call("cublasLtMatrixLayoutInit_internal", place, size, F32, c.c_uint64(rows), c.c_uint64(columns), c.c_int64(rows)))
    ok(call("cublasLtMatmulPreferenceInit_internal", memory[4], size))
    X, Y, R = Array(x), Array(y), Array(np.zeros((m, m), np.float32))
    results, count = np.zeros(12, np.uint64), np.zeros(1, np.int32)
    d = memory[3]
    ok(call("cublasLtMatmulAlgoGetHeuristic", light, memory[0], memory[1], memory[2], d, d, memory[4], 1, results, count))
    ok(call("cublasLtMatmul", light, memory[0], one(1, np.float32), X, memory[1], Y, memory[2], one(0, np.float32), R, d, R, d, results, None, c.c_size_t(0), None))
    close(R.get(), wide(x) @ wide(y), np.float32, n, "in place")
    # cuTENSOR copies them, in the sizes that CUDA 12 has; a copy is another object.
    transposed = np.zeros(23, np.uint64)
    ok(call("cublasLtMatmulDescInit_internal", transposed, c.c_size_t(transposed.nbytes), COMPUTE["32F"], F32))
    ok(call("cublasLtMatmulDescSetAttribute", transposed, 3, np.array([1], np.int32), c.c_size_t(4)))
    copied = transposed.copy()
    ok(call("cublasLtMatmulDescSetAttribute", transposed, 3, np.array([0], np.int32), c.c_size_t(4)))
    place = np.zeros(8, np.uint64)
    ok(call("cublasLtMatrixLayoutInit_internal", place, c.c_size_t(place.nbytes), F32, c.c_uint64(n), c.c_uint64(m), c.c_int64(n)))
    moved = place.copy()
    place[:] = 0
    ok(call("cublasLtMatmul", light, copied, one(1, np.float32), Array(x.T.copy()), moved, Y, memory[2].copy(), one(0, np.float32), R, d, R, d.copy(), results, None, c.c_size_t(0), None))
    close(R.get(), wide(x) @ wide(y), np.float32, n, "copied")
    assert call("cublasLtMatmul", light, np.zeros(64, np.uint64), *(None,) * 13) == INVALID_VALUE
    # Settings of an algorithm are kept.
    value, written = np.zeros(1, np.int32), c.c_size_t()
    ok(call("cublasLtMatmulAlgoConfigSetAttribute", results, 2, np.array([7], np.int32), c.c_size_t(4)))
    ok(call("cublasLtMatmulAlgoConfigGetAttribute", results, 2, value, c.c_size_t(4), c.byref(written)))
    assert value[0] == 7 and written.value == 4
    ok(call("cublasLtMatmulAlgoCapGetAttribute", results, 3, value, c.c_size_t(4), c.byref(written)))
    assert value[0] == 1
    ok(call("cublasLtDestroy", light))


def check_addresses():
    """Batches of cuBLASLt whose matrices lie anywhere, by an array of their addresses."""
    light, m, n, k, count = c.c_void_p(), 19, 11, 40, 3
    ok(call("cublasLtCreate", c.byref(light)))
    for dtype, type, name in ((np.float32, F32, "f32"), (np.float16, F16, "f16")):
        a, b, before = (random.standard_normal((count, *shape)).astype(dtype) for shape in ((m, k), (k, n), (m, n)))
        A, B, R = ([Array(x) for x in values] for values in (a, b, before))
        layouts = [layout(shape, type) for shape in ((m, k), (k, n), (m, n))]
        for each in layouts:
            each.set(5, np.array([count], np.int32))
            each.set(8, np.array([1], np.uint32))
        x, y, d = (each.address for each in layouts)
        description = Object("MatmulDesc", COMPUTE["32F"], F32)
        places = [pointers(each) for each in (A, B, R)]
        alpha, beta = one(1.5, np.float32), one(-0.5, np.float32)
        ok(call("cublasLtMatmul", light, description.address, alpha, places[0], x, places[1], y, beta, places[2], d, places[2], d, None, None, c.c_size_t(0), None))
        for x, y, z, result in zip(a, b, before, R):
            wanted = 1.5 * wide(x) @ wide(y) - 0.5 * wide(z)
            if name == "f16":
                rounded_once(wide(result.get()), wanted, name, k, "addresses")
            else:
                close(result.get(), wanted, dtype, k, "addresses")
    ok(call("cublasLtDestroy", light))


def check_planes():
    """Products of complex halves whose real and imaginary parts lie in planes."""
    light, m, n, k = c.c_void_p(), 19, 11, 40
    ok(call("cublasLtCreate", c.byref(light)))
    conjugate = 2
    for ta, tb in itertools.product((N, T, conjugate), repeat=2):
        shapes = [(m, k) if ta == N else (k, m), (k, n) if tb == N else (n, k), (m, n)]
        parts = [random.standard_normal((2, *shape)).astype(np.float16) for shape in shapes]
        # Each plane by columns, the imaginary one behind the real one.
        arrays = [Array(np.concatenate([x.T.ravel() for x in part])) for part in parts]
        layouts = [layout(shape, 6) for shape in shapes]
        for each, shape in zip(layouts, shapes):
            each.set(7, np.array([2 * shape[0] * shape[1]], np.int64))
        description = Object("MatmulDesc", COMPUTE["32F"], C32)
        description.set(3, np.array([ta], np.int32))
        description.set(4, np.array([tb], np.int32))
        x, y, d = (each.address for each in layouts)
        alpha, beta = one(1.5 - 0.5j, np.complex64), one(0.25j, np.complex64)
        A, B, R = arrays
        ok(call("cublasLtMatmul", light, description.address, alpha, A, x, B, y, beta, R, d, R, d, None, None, c.c_size_t(0), None))
        a, b, before = (part[0].astype(float) + 1j * part[1].astype(float) for part in parts)
        operate = {N: lambda z: z, T: lambda z: z.T, conjugate: lambda z: z.conj().T}
        wanted = (1.5 - 0.5j) * operate[ta](a) @ operate[tb](b) + 0.25j * before
        real, imaginary = (plane.reshape(n, m).T for plane in R.get().reshape(2, -1))
        close(wide(real), wanted.real, np.float16, k, "planes", ta, tb)
        close(wide(imaginary), wanted.imag, np.float16, k, "planes", ta, tb)
    ok(call("cublasLtDestroy", light))


def check_emulation():
    """What programs set of emulation is kept, with the defaults and limits of NVIDIA's cuBLAS."""
    fixed, value = "FixedPointEmulation", np.zeros(1, np.int32)
    for name, first, allowed, refused in (
        ("EmulationSpecialValuesSupport", 0xFFFF, (0, 3, 0xFFFF), (-1, 0x10000)),
        (fixed + "MantissaControl", 0, (0, 1), (-1, 2)),
        (fixed + "MaxMantissaBitCount", 0, (0, 53, 4096), (-1,)),
        (fixed + "MantissaBitOffset", 0, (-9, 0, 100), ()),
    ):
        ok(call("cublasGet" + name, handle, value))
        assert value[0] == first, name
        for number in allowed:
            ok(call("cublasSet" + name, handle, c.c_int(number)))
            ok(call("cublasGet" + name, handle, value))
            assert value[0] == number, name
        for number in refused:
            assert call("cublasSet" + name, handle, c.c_int(number)) == INVALID_VALUE, (name, number)
    # The attributes of a description of cuBLASLt, and their sizes.
    description, written = c.c_void_p(), c.c_size_t()
    ok(call("cublasLtEmulationDescCreate", c.byref(description)))
    for attribute, size in enumerate((4, 4, 4, 4, 4, 8)):
        ok(call("cublasLtEmulationDescGetAttribute", description, attribute, None, c.c_size_t(0), c.byref(written)))
        assert written.value == size
    ok(call("cublasLtEmulationDescGetAttribute", description, 1, value, c.c_size_t(4), c.byref(written)))
    assert value[0] == 0xFFFF
    ok(call("cublasLtEmulationDescDestroy", description))


def check_ended_stream():
    """A handle ends although its stream has."""
    driver, other, stream = c.CDLL("libcuda.so.1"), c.c_void_p(), c.c_void_p()
    ok(call("cublasCreate_v2", c.byref(other)))
    ok(driver.cuStreamCreate(c.byref(stream), 1))
    ok(call("cublasSetStream_v2", other, stream))
    ok(driver.cuStreamDestroy_v2(stream))
    ok(call("cublasDestroy_v2", other))


if __name__ == "__main__":
    check_halves()
    check_groups()
    check_transforms()
    check_addresses()
    check_planes()
    check_emulation()
    check_ended_stream()
    if not FEW:
        check_vectors()
        check_host()
    ok(blas.cublasDestroy_v2(handle))
