"""NVIDIA's cuSPARSE against NumPy: the generic API's products with vectors, with dense and with sparse matrices, sampled products,
triangular systems and conversions."""

import ctypes as c

import numpy as np
from nvidia_packages import load
from sparse_products import (
    COLUMNS, ROWS, TYPES, Array, Coordinates, Descriptor, Library, N, T, close, matrix, ok, scalar, spgemm, spmm, spmv,
    stored, turned, vector,
)  # fmt: skip

sparse = Library(load("cusparse")._name)
random = np.random.default_rng(4)


def check_products(kind):
    types = (kind,) * 4
    for format in ("Csr", "Csc", "Coo"):
        coordinates = Coordinates(130, 77, kind)
        a = coordinates.describe(sparse, format)
        for operation in (N, T):
            spmv(sparse, a, coordinates.dense(), types, operation, 2, -1)
        spmm(sparse, a, coordinates.dense(), types, (N, N), (COLUMNS, COLUMNS), 5, 2, -1)
    spmm(sparse, a, coordinates.dense(), types, (N, N), (ROWS, ROWS), 40, 2, 0)


def check_sparse_products(kind):
    a, b = Coordinates(60, 40, kind), Coordinates(40, 50, kind)
    left, right = a.describe(sparse, "Csr"), b.describe(sparse, "Csr")
    offsets, index, values = spgemm(sparse, left, right, kind, 60, 50, 2)
    found = np.zeros((60, 50), values.dtype)
    found[np.repeat(np.arange(60), np.diff(offsets)), index] = values
    close(found, 2 * a.dense() @ b.dense(), kind, 40, "SpGEMM")


def check_sampled(kind):
    coordinates = Coordinates(20, 28, kind)
    made, dense = coordinates.describe(sparse, "Csr"), coordinates.dense()
    (a, wide_a), (b, wide_b) = (stored(random.standard_normal(shape), kind) for shape in ((20, 37), (37, 28)))
    left, _ = matrix(sparse, a, kind, ROWS)
    right, _ = matrix(sparse, b, kind, ROWS)
    arguments = (N, N, scalar(2, kind), left, right, scalar(-1, kind), made, TYPES[kind], 0)
    ok(sparse.run("SDDMM", *arguments, sparse.size("SDDMM_bufferSize", *arguments)))
    found, get = matrix(sparse, np.zeros(dense.shape, a.dtype), kind, ROWS)
    arguments = (made, found, 0)
    ok(sparse.run("SparseToDense", *arguments, sparse.size("SparseToDense_bufferSize", *arguments)))
    close(get(), (2 * wide_a @ wide_b - dense) * (dense != 0), kind, 37, "SDDMM")


def check_triangular(kind):
    size = 40
    coordinates = Coordinates(size, size, kind, 0.15)
    off = coordinates.rows > coordinates.columns
    rows = np.concatenate([coordinates.rows[off], np.arange(size)])
    columns = np.concatenate([coordinates.columns[off], np.arange(size)])
    values = np.concatenate([0.2 * coordinates.wide[off], 2 + random.random(size)])
    order = np.lexsort((columns, rows))
    coordinates.rows, coordinates.columns = rows[order], columns[order]
    coordinates.values, coordinates.wide = stored(values[order] + 0j, kind)
    a, half = coordinates.describe(sparse, "Csr"), coordinates.dense()
    ok(sparse.call("SpMatSetAttribute", a, 0, np.array([0], np.int32), 4))
    for operation in (N, T):
        x, wide_x = stored(random.standard_normal(size), kind)
        result, work = Array(np.zeros_like(x)), c.c_void_p()
        ok(sparse.call("SpSV_createDescr", c.byref(work)))
        arguments = (
            operation, scalar(2, kind), a, vector(sparse, x, kind), vector(sparse, result, kind), TYPES[kind], 0, work,
        )  # fmt: skip
        buffer = sparse.size("SpSV_bufferSize", *arguments)
        ok(sparse.run("SpSV_analysis", *arguments, buffer))
        ok(sparse.run("SpSV_solve", *arguments))
        wanted = 2 * np.linalg.solve(turned(half, operation), wide_x)
        close(result.get(), wanted, kind, 4 * size, "SpSV", operation)
        ok(sparse.call("SpSV_destroyDescr", work))


def check_conversion(kind):
    """Dense to sparse, with indices that the library finds."""
    coordinates = Coordinates(90, 40, kind)
    dense, _ = matrix(sparse, coordinates.dense().astype(coordinates.values.dtype), kind, ROWS)
    offsets = Array(np.zeros(91, np.int32))
    made = Descriptor(sparse, "SpMat", "CreateCsr", 90, 40, 0, offsets, None, None, 2, 2, 0, TYPES[kind])
    arguments = (dense, made, 0)
    buffer = sparse.size("DenseToSparse_bufferSize", *arguments)
    ok(sparse.run("DenseToSparse_analysis", *arguments, buffer))
    count = len(coordinates.values)
    columns, values = Array(np.zeros(count, np.int32)), Array(np.zeros(count, coordinates.values.dtype))
    ok(sparse.call("CsrSetPointers", made, offsets, columns, values))
    ok(sparse.run("DenseToSparse_convert", *arguments, buffer))
    order = np.lexsort((coordinates.columns, coordinates.rows))
    assert (offsets.get() == coordinates.offsets(coordinates.rows, 90)).all()
    assert (columns.get() == coordinates.columns[order]).all()
    assert (values.get() == coordinates.values[order]).all()


for kind in ("f32", "c64"):
    check_products(kind)
    check_sparse_products(kind)
    check_triangular(kind)
check_sampled("f32")
check_conversion("f64")
print("PASS nvidia_sparse")
