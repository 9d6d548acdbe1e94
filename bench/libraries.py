"""Our libraries on the CPU device beside NumPy, called in turns in one process. Prints a line for
each case: its name, our and NumPy's best time of a call in microseconds, with tabs between. Results are compared."""

import ctypes as c
import os
import sys
import time

# Both have one thread: those of OpenBLAS wait for each other for long where others have work too.
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import numpy as np

ROUNDS = int(sys.argv[1])
# Seconds of calls of one side before the other has its turn, and of calls that are measured together.
TURN, SPAN = 0.05, 2e-4

driver = c.CDLL("libcuda.so.1")
blas = c.CDLL("libzluda_blas.so")
fft = c.CDLL("libzluda_fft.so")
dnn = c.CDLL("libzluda_dnn.so")
random = np.random.default_rng(1)


def ok(status):
    assert status == 0, status


def made(create, *arguments):
    value = c.c_void_p()
    ok(create(c.byref(value), *arguments))
    return value


ok(driver.cuInit(0))
ok(driver.cuCtxSetCurrent(made(driver.cuDevicePrimaryCtxRetain, 0)))
handle = made(blas.cublasCreate_v2)


def host(values):
    return values.ctypes.data_as(c.c_void_p)


class Array:
    """A copy in device memory."""

    def __init__(self, values):
        self.like = np.ascontiguousarray(values)
        self.address = made(driver.cuMemAlloc_v2, c.c_size_t(self.like.nbytes))
        ok(driver.cuMemcpyHtoD_v2(self.address, host(self.like), c.c_size_t(self.like.nbytes)))

    def get(self):
        ok(driver.cuCtxSynchronize())
        values = np.empty_like(self.like)
        ok(driver.cuMemcpyDtoH_v2(host(values), self.address, c.c_size_t(values.nbytes)))
        return values

    def __del__(self):
        driver.cuMemFree_v2(self.address)


def array(values, ty=c.c_int):
    return (ty * len(values))(*values)


def span(call, calls):
    """The seconds of each of some calls, with the synchronisation after them."""
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    ok(driver.cuCtxSynchronize())
    return (time.perf_counter() - begin) / calls


def measure(name, ours, theirs):
    both, counts, best = (ours, theirs), [], [np.inf, np.inf]
    for call in both:
        span(call, 1)
        one = min(span(call, 1) for _ in range(3))
        calls = max(1, int(SPAN / one))
        counts.append((calls, max(1, int(TURN / (calls * one)))))
    for _ in range(ROUNDS):
        for i, call in enumerate(both):
            calls, spans = counts[i]
            best[i] = min(best[i], *(span(call, calls) for _ in range(spans + 1)))
    print(name, best[0] * 1e6, best[1] * 1e6, sep="\t", flush=True)


def near(found, wanted, tolerance):
    error = np.abs(found - wanted).max() / np.abs(wanted).max()
    assert error < tolerance, error


# Name; cuBLAS's types of the elements, of the result and of the sums; NumPy's of factors, of the result and of what it
# multiplies; the tolerance.
PRODUCTS = [
    ("f32", 0, 0, 68, np.float32, np.float32, np.float32, 1e-4),
    ("f64", 1, 1, 70, np.float64, np.float64, np.float64, 1e-10),
    ("c64", 4, 4, 68, np.complex64, np.complex64, np.complex64, 1e-4),
    ("f16", 2, 2, 68, np.float16, np.float16, np.float32, 1e-2),
    ("bf16", 14, 14, 68, np.uint16, np.uint16, np.float32, 2e-2),
    ("s8", 3, 10, 72, np.int8, np.int32, np.float32, 1e-4),
]


def elements(shape, ty):
    """Elements as they lie in memory, and as NumPy multiplies them."""
    if ty == np.int8:
        values = random.integers(-9, 9, shape, ty)
        return values, values.astype(np.float32)
    values = random.standard_normal(shape)
    if ty == np.uint16:
        bits = values.astype(np.float32).view(np.uint32) & 0xFFFF0000
        return (bits >> 16).astype(ty), bits.view(np.float32)
    if ty == np.complex64:
        values = values + 1j * random.standard_normal(shape)
    values = values.astype(ty)
    return values, values.astype(np.float32) if ty == np.float16 else values


def product(kind, m, n, k, batch=1, transposed=False):
    """C = A B in the order of C; B is stored as its transpose if so said."""
    name, ty, out_ty, compute, dtype, out_dtype, native, tolerance = kind
    a, native_a = elements((batch, m, k), dtype)
    b, native_b = elements((batch, n, k) if transposed else (batch, k, n), dtype)
    if transposed:
        native_b = native_b.swapaxes(1, 2)
    if batch == 1:
        native_a, native_b = native_a[0], native_b[0]
    a, b, out = Array(a), Array(b), Array(np.zeros((batch, m, n), out_dtype))
    native_out = np.zeros((batch, m, n) if batch > 1 else (m, n), native)
    one, zero = (host(np.array(value, np.int32 if compute == 72 else native)) for value in (1, 0))
    stride = c.c_longlong

    def ours():
        # Columns are what NumPy's rows are: the product is that of the transposes in the other order.
        ok(blas.cublasGemmStridedBatchedEx(
            handle, int(transposed), 0, n, m, k, one, b.address, ty, k if transposed else n, stride(n * k),
            a.address, ty, k, stride(m * k), zero, out.address, out_ty, n, stride(m * n), batch, compute, -1,
        ))

    def theirs():
        np.matmul(native_a, native_b, out=native_out)

    ours(), theirs()
    found = out.get().reshape(native_out.shape)
    if dtype == np.uint16:
        found = (found.astype(np.uint32) << 16).view(np.float32)
    near(found.astype(native), native_out, tolerance)
    size = f"{m} x {k} x {n}, second factor transposed" if transposed else str(m)
    measure(f"gemm {name}, {f'{batch} of ' if batch > 1 else ''}{size}", ours, theirs)


def transform(shape, batch=1, real=False):
    values = random.standard_normal((batch, *shape)).astype(np.float32)
    if not real:
        values = values + 1j * random.standard_normal(values.shape).astype(np.float32)
    axes = tuple(range(1, 1 + len(shape)))
    of = np.fft.rfftn if real else np.fft.fftn
    wanted = of(values, axes=axes)
    source, target = Array(values), Array(np.zeros(wanted.shape, np.complex64))
    plan = c.c_int()
    ty = 0x2A if real else 0x29
    ok(fft.cufftPlanMany(c.byref(plan), len(shape), array(shape), None, 1, 0, None, 1, 0, ty, batch))

    def ours():
        if real:
            ok(fft.cufftExecR2C(plan, source.address, target.address))
        else:
            ok(fft.cufftExecC2C(plan, source.address, target.address, -1))

    ours()
    near(target.get(), wanted, 1e-4)
    size = " x ".join(map(str, shape))
    size = f"{batch} of {size}" if batch > 1 else size
    measure(f"FFT {'R2C' if real else 'C2C'}, {size}", ours, lambda: of(values, axes=axes))
    ok(fft.cufftDestroy(plan))


def convolution(n, channels, size, filters, window):
    """A convolution that keeps the size, in single precision, beside windows that are copied and multiplied."""
    x = random.standard_normal((n, channels, size, size)).astype(np.float32)
    w = random.standard_normal((filters, channels, window, window)).astype(np.float32)
    pad = window // 2

    def native():
        padded = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
        seen = np.lib.stride_tricks.sliding_window_view(padded, (window, window), (2, 3))
        seen = seen.transpose(0, 1, 4, 5, 2, 3).reshape(n, -1, size * size)
        return np.matmul(w.reshape(filters, -1), seen).reshape(n, filters, size, size)

    wanted = native()
    kinds = ("Convolution", "Tensor", "Tensor", "Filter")
    of, input, output, filter = (made(getattr(dnn, f"cudnnCreate{kind}Descriptor")) for kind in kinds)
    ok(dnn.cudnnSetConvolutionNdDescriptor(of, 2, array([pad, pad]), array([1, 1]), array([1, 1]), 1, 0))
    for tensor, values in ((input, x), (output, wanted)):
        ok(dnn.cudnnSetTensorNdDescriptor(tensor, 0, 4, array(values.shape), array([s // 4 for s in values.strides])))
    ok(dnn.cudnnSetFilterNdDescriptor(filter, 0, 0, 4, array(w.shape)))
    x_there, w_there, y = Array(x), Array(w), Array(np.zeros_like(wanted))
    network, one, zero = made(dnn.cudnnCreate), c.c_float(1), c.c_float(0)

    def ours():
        ok(dnn.cudnnConvolutionForward(
            network, c.byref(one), input, x_there.address, filter, w_there.address, of, 1, None, c.c_size_t(0),
            c.byref(zero), output, y.address,
        ))

    ours()
    near(y.get(), wanted, 1e-4)
    what = f"{n} x {channels} x {size} x {size}, {filters} filters of {window} x {window}"
    measure(f"convolution of {what}", ours, native)


def small_calls():
    """What a call costs by itself: both libraries are called through ctypes, with addresses in memory of the host."""
    name = next(line.split()[-1] for line in open("/proc/self/maps") if "libscipy_openblas64_" in line)
    native = c.CDLL(name)
    x, y = np.ones(16, np.float32), np.zeros(16, np.float32)
    there_x, there_y = Array(x), Array(y)
    here_x, here_y, step = host(x), host(y), c.c_int64(1)
    count, half = c.c_int64(16), c.c_float(0.5)
    alpha = host(np.array(0.5, np.float32))
    measure(
        "axpy of 16",
        lambda: blas.cublasSaxpy_v2(handle, 16, alpha, there_x.address, 1, there_y.address, 1),
        lambda: native.scipy_cblas_saxpy64_(count, half, here_x, step, here_y, step),
    )
    a = np.ones((16, 16), np.float32)
    b, out, n = a.copy(), a.copy(), c.c_int64(16)
    there_a, there_b, there = Array(a), Array(b), Array(out)
    one, zero = (host(np.array(value, np.float32)) for value in (1, 0))
    here_a, here_b, here, here_one, here_zero = host(a), host(b), host(out), c.c_float(1), c.c_float(0)
    measure(
        "gemm of 16",
        lambda: blas.cublasSgemm_v2(
            handle, 0, 0, 16, 16, 16, one, there_a.address, 16, there_b.address, 16, zero, there.address, 16
        ),
        lambda: native.scipy_cblas_sgemm64_(
            102, 111, 111, n, n, n, here_one, here_a, n, here_b, n, here_zero, here, n
        ),
    )


for kind in PRODUCTS:
    for size in (64, 256, 1024, 2048):
        product(kind, size, size, size)
    product(kind, 64, 64, 64, batch=256)
for kind in (PRODUCTS[0], PRODUCTS[3]):
    product(kind, 8, 4096, 4096, transposed=True)
transform((1024,))
transform((1024,), batch=1024)
transform((1 << 20,))
transform((128, 128, 128))
transform((1 << 20,), real=True)
convolution(1, 64, 56, 64, 3)
convolution(8, 128, 28, 128, 3)
convolution(8, 256, 14, 1024, 1)
small_calls()
