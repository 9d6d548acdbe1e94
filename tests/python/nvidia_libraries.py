"""NVIDIA's own cuBLAS, cuFFT, cuRAND, cuSPARSE and cuSOLVER from PyPI, against NumPy and cuRAND's generators on the host.

They carry PTX for GPUs that are newer than themselves, which they choose at compute capability 13.0."""

import ctypes as c
import os

os.environ["ZLUDA_CC"] = "13.0"
# Emulated GPUs are slow: a call of each library there.
FEW = os.environ.get("ZLUDA_DEVICE", "").startswith("emu")

import numpy as np

folder = os.environ["NVIDIA_LIBRARIES"]
for beside in ("libnvJitLink.so.13", "libcublasLt.so.13"):
    c.CDLL(os.path.join(folder, beside), mode=c.RTLD_GLOBAL)
runtime, blas, fft, rand, sparse, solver = (
    c.CDLL(os.path.join(folder, name), mode=c.RTLD_GLOBAL)
    for name in (
        "libcudart.so.13",
        "libcublas.so.13",
        "libcufft.so.12",
        "libcurand.so.10",
        "libcusparse.so.12",
        "libcusolver.so.12",
    )
)
random = np.random.default_rng(1)


def ok(status, *what):
    assert status == 0, (status, *what)


class Array:
    """A NumPy array's copy in device memory, in the order of Fortran."""

    def __init__(self, values):
        self.like = np.asfortranarray(values)
        self.address = c.c_void_p()
        ok(runtime.cudaMalloc(c.byref(self.address), c.c_size_t(self.like.nbytes)))
        host = self.like.ctypes.data_as(c.c_void_p)
        ok(runtime.cudaMemcpy(self.address, host, c.c_size_t(self.like.nbytes), 1))

    def get(self):
        ok(runtime.cudaDeviceSynchronize())
        values = np.empty_like(self.like)
        host = values.ctypes.data_as(c.c_void_p)
        ok(runtime.cudaMemcpy(host, self.address, c.c_size_t(values.nbytes), 2))
        return values

    def __del__(self):
        runtime.cudaFree(self.address)


def normal(shape, dtype):
    values = random.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def close(found, wanted, dtype, terms, *what):
    """Within a few roundings of sums of so many terms, of numbers about 1."""
    error = np.abs(found - wanted).max()
    assert error <= 4 * np.finfo(dtype).eps * terms, (error, *what)



def check_blas():
    handle = c.c_void_p()
    ok(blas.cublasCreate_v2(c.byref(handle)))
    sizes = [(33, 17, 40)] if FEW else [(1, 1, 1), (64, 64, 64), (33, 17, 40), (200, 100, 300)]
    kinds = [("S", np.float32), ("D", np.float64), ("C", np.complex64), ("Z", np.complex128)]
    for letter, dtype in kinds[:1] if FEW else kinds:
        for m, n, k in sizes:
            for transposed in (0, 1):
                a = normal((k, m) if transposed else (m, k), dtype)
                b, before = normal((k, n), dtype), normal((m, n), dtype)
                result = Array(before)
                alpha, beta = np.array(1.5, dtype), np.array(-0.5, dtype)
                of_a, of_b = Array(a), Array(b)
                status = getattr(blas, f"cublas{letter}gemm_v2")(
                    handle, transposed, 0, m, n, k, alpha.ctypes.data_as(c.c_void_p), of_a.address, a.shape[0],
                    of_b.address, k, beta.ctypes.data_as(c.c_void_p), result.address, m,
                )  # fmt: skip
                ok(status, letter, m, n, k)
                wide = np.complex128 if "C" in letter or "Z" in letter else np.float64
                wanted = 1.5 * ((a.T if transposed else a).astype(wide) @ b.astype(wide)) - 0.5 * before
                close(result.get(), wanted, dtype, 4 * k + 4, letter, m, n, k, transposed)
    x, y = normal(1000, np.float32), normal(1000, np.float32)
    of_x, of_y, answer = Array(x), Array(y), c.c_float()
    ok(blas.cublasSdot_v2(handle, 1000, of_x.address, 1, of_y.address, 1, c.byref(answer)))
    close(np.float64(answer.value), x.astype(np.float64) @ y, np.float32, 1000, "Sdot")
    ok(blas.cublasSnrm2_v2(handle, 1000, of_x.address, 1, c.byref(answer)))
    close(np.float64(answer.value), np.linalg.norm(x.astype(np.float64)), np.float32, 100, "Snrm2")
    ok(blas.cublasDestroy_v2(handle))


def check_fft():
    shapes = [(64,)] if FEW else [(64,), (97,), (1000,), (1 << 16,), (32, 48), (8, 9, 10)]
    kinds = [(np.complex64, 0x29, "C2C")] if FEW else [(np.complex64, 0x29, "C2C"), (np.complex128, 0x69, "Z2Z")]
    for shape in shapes:
        for dtype, kind, name in kinds:
            for direction in (-1, 1):
                values = np.ascontiguousarray(normal(shape, dtype))
                plan, sizes = c.c_int(), (c.c_int * len(shape))(*shape)
                ok(fft.cufftPlanMany(c.byref(plan), len(shape), sizes, None, 1, 0, None, 1, 0, kind, 1), shape)
                place = Array(values.ravel())
                ok(getattr(fft, f"cufftExec{name}")(plan, place.address, place.address, direction), shape)
                wide = values.astype(np.complex128)
                wanted = np.fft.fftn(wide) if direction < 0 else np.fft.ifftn(wide) * values.size
                error = np.abs(place.get() - wanted.ravel()).max() / np.abs(wanted).max()
                assert error < 8 * np.finfo(dtype).eps, (error, shape, name, direction)
                ok(fft.cufftDestroy(plan))
    for shape in [] if FEW else [(100,), (1 << 12,), (24, 36)]:
        values = np.ascontiguousarray(normal(shape, np.float32))
        plan, sizes = c.c_int(), (c.c_int * len(shape))(*shape)
        ok(fft.cufftPlanMany(c.byref(plan), len(shape), sizes, None, 1, 0, None, 1, 0, 0x2A, 1), shape)
        wanted = np.fft.rfftn(values.astype(np.float64))
        place, result = Array(values.ravel()), Array(np.zeros(wanted.size, np.complex64))
        ok(fft.cufftExecR2C(plan, place.address, result.address), shape)
        error = np.abs(result.get() - wanted.ravel()).max() / np.abs(wanted).max()
        assert error < 8 * np.finfo(np.float32).eps, (error, shape, "R2C")


def check_rand():
    """Without MT19937, whose one kernel takes long to compile."""
    philox = [(161, "philox")]
    kinds = philox if FEW else philox + [(101, "xorwow"), (121, "mrg32k3a"), (141, "mtgp32"), (201, "sobol32")]
    count = 5000
    for kind, name in kinds:
        for function, dtype in (("", np.uint32), ("Uniform", np.float32)):
            device, host = c.c_void_p(), c.c_void_p()
            ok(rand.curandCreateGenerator(c.byref(device), kind), name)
            ok(rand.curandCreateGeneratorHost(c.byref(host), kind), name)
            for generator in (device, host) if kind < 200 else ():
                ok(rand.curandSetPseudoRandomGeneratorSeed(generator, c.c_ulonglong(42)), name)
            found, wanted = Array(np.zeros(count, dtype)), np.zeros(count, dtype)
            generate = getattr(rand, f"curandGenerate{function}")
            ok(generate(device, found.address, c.c_size_t(count)), name)
            ok(generate(host, wanted.ctypes.data_as(c.c_void_p), c.c_size_t(count)), name)
            assert (found.get() == wanted).all(), (name, function)
            assert len(set(wanted)) > count / 2, (name, function)


def check_sparse():
    rows, columns = 300, 200
    matrix = np.where(random.random((rows, columns)) < 0.1, normal((rows, columns), np.float32), np.float32(0))
    counts = (matrix != 0).sum(1)
    starts = Array(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))
    places = Array(np.nonzero(matrix)[1].astype(np.int32))
    values, x, y = Array(matrix[matrix != 0]), normal(columns, np.float32), Array(np.zeros(rows, np.float32))
    of_x, handle, long = Array(x), c.c_void_p(), c.c_int64
    sparse_matrix, vector, result, size = c.c_void_p(), c.c_void_p(), c.c_void_p(), c.c_size_t()
    one, zero = c.byref(c.c_float(1)), c.byref(c.c_float(0))
    ok(sparse.cusparseCreate(c.byref(handle)))
    ok(
        sparse.cusparseCreateCsr(
            c.byref(sparse_matrix), long(rows), long(columns), long(int(counts.sum())), starts.address, places.address,
            values.address, 2, 2, 0, 0,
        )
    )  # fmt: skip
    ok(sparse.cusparseCreateDnVec(c.byref(vector), long(columns), of_x.address, 0))
    ok(sparse.cusparseCreateDnVec(c.byref(result), long(rows), y.address, 0))
    call = (handle, 0, one, sparse_matrix, vector, zero, result, 0, 0)
    ok(sparse.cusparseSpMV_bufferSize(*call, c.byref(size)))
    buffer = Array(np.zeros(max(size.value, 16), np.uint8))
    ok(sparse.cusparseSpMV(*call, buffer.address))
    close(y.get(), matrix.astype(np.float64) @ x, np.float32, columns, "SpMV")


def check_solver():
    size = 100
    handle, length = c.c_void_p(), c.c_int()
    ok(solver.cusolverDnCreate(c.byref(handle)))
    matrix = normal((size, size), np.float64)
    factors, info = Array(matrix), Array(np.zeros(1, np.int32))
    pivots = Array(np.zeros(size, np.int32))
    ok(solver.cusolverDnDgetrf_bufferSize(handle, size, size, factors.address, size, c.byref(length)))
    work = Array(np.zeros(length.value + 1))
    ok(
        solver.cusolverDnDgetrf(
            handle, size, size, factors.address, size, work.address, pivots.address, info.address
        )
    )
    assert info.get()[0] == 0
    both, rows = factors.get(), np.arange(size)
    for i, other in enumerate(pivots.get()):
        rows[[i, other - 1]] = rows[[other - 1, i]]
    product = (np.tril(both, -1) + np.eye(size)) @ np.triu(both)
    close(product, matrix[rows], np.float64, 10 * size, "getrf")


check_blas()
check_fft()
check_rand()
if not FEW:
    check_sparse()
    check_solver()
