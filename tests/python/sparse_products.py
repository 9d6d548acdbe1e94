"""ZLUDA's own cuSPARSE against NumPy in double precision, and its statuses against those of NVIDIA's cuSPARSE."""

import ctypes as c
import itertools
import os

# NVIDIA's libraries choose their PTX by it.
os.environ.setdefault("ZLUDA_CC", "13.0")
FEW = os.environ.get("ZLUDA_DEVICE", "").startswith("emu")

import numpy as np

staged = os.environ["LD_LIBRARY_PATH"].split(":")[0]
driver = c.CDLL("libcuda.so.1")
random = np.random.default_rng(11)
SUCCESS, NOT_INITIALIZED, INVALID_VALUE, ZERO_PIVOT, NOT_SUPPORTED, INSUFFICIENT_RESOURCES = 0, 1, 3, 9, 10, 11
TYPES = {"f32": 0, "f64": 1, "f16": 2, "i8": 3, "c32": 4, "c64": 5, "i32": 10, "bf16": 14}
NUMPY = {
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "i8": np.int8, "c32": np.complex64, "c64": np.complex128,
    "i32": np.int32, "bf16": np.uint16,
}  # fmt: skip
EPSILON = {"f32": 2.0**-23, "f64": 2.0**-52, "f16": 2.0**-10, "c32": 2.0**-23, "c64": 2.0**-52, "i32": 0, "bf16": 2.0**-7}
WIDTHS = {16: (1, np.uint16), 32: (2, np.int32), 64: (3, np.int64)}
LETTERS = {"S": "f32", "D": "f64", "C": "c32", "Z": "c64"}
N, T, C = range(3)
COLUMNS, ROWS = 1, 2


def ok(status, *what):
    assert status == 0, (status, *what)


context, device = c.c_void_p(), c.c_int()
ok(driver.cuInit(0))
ok(driver.cuDevicePrimaryCtxRetain(c.byref(context), 0))
ok(driver.cuCtxSetCurrent(context))


class Array:
    """A NumPy array's copy in device memory, as it lies."""

    def __init__(self, values):
        self.like = np.ascontiguousarray(values)
        self.address = c.c_void_p()
        ok(driver.cuMemAlloc_v2(c.byref(self.address), c.c_size_t(max(16, self.like.nbytes))))
        self.put(self.like)

    def put(self, values):
        if values.nbytes:
            ok(driver.cuMemcpyHtoD_v2(self.address, host(values), c.c_size_t(values.nbytes)))

    def get(self):
        ok(driver.cuCtxSynchronize())
        values = np.empty_like(self.like)
        if values.nbytes:
            ok(driver.cuMemcpyDtoH_v2(host(values), self.address, c.c_size_t(values.nbytes)))
        return values

    def __del__(self):
        driver.cuMemFree_v2(self.address)


def host(values):
    return values.ctypes.data_as(c.c_void_p)


class Library:
    """A cuSPARSE with a handle."""

    def __init__(self, path):
        self.library = c.CDLL(path)
        self.handle = c.c_void_p()
        ok(self.library.cusparseCreate(c.byref(self.handle)))

    def call(self, name, *arguments):
        """A call of a function with Python's numbers, addresses, arrays and descriptors for arguments."""

        def plain(value):
            if isinstance(value, (Array, Descriptor)):
                return value.address
            if isinstance(value, np.ndarray):
                return host(value)
            if isinstance(value, (int, np.integer)):
                return c.c_int64(int(value))
            return value

        return getattr(self.library, f"cusparse{name}")(*map(plain, arguments))

    def run(self, name, *arguments):
        """A call with the handle."""
        return self.call(name, self.handle, *arguments)

    def size(self, name, *arguments):
        """The size of the buffer that a function asks for, and the memory."""
        size = np.zeros(1, np.uint64)
        ok(self.run(name, *arguments, size), name)
        return Array(np.zeros(int(size[0]), np.uint8))


class Descriptor:
    """A descriptor, which keeps the memory that it tells of."""

    def __init__(self, library, kind, create, *arguments):
        self.library, self.kind, self.address, self.arguments = library, kind, c.c_void_p(), arguments
        ok(library.call(create, c.byref(self.address), *arguments), create)

    def __del__(self):
        self.library.call(f"Destroy{self.kind}", self.address)


own = Library(os.path.join(staged, "libraries/libcusparse.so.12"))


def nvidias():
    """NVIDIA's library, which runs on this driver."""
    folder = os.environ["NVIDIA_LIBRARIES"]
    c.CDLL(os.path.join(folder, "libnvJitLink.so.13"), mode=c.RTLD_GLOBAL)
    return Library(os.path.join(folder, "libcusparse.so.12"))


def stored(values, kind):
    """Numbers as they are stored, and what they are in double precision."""
    if kind == "bf16":
        bits = values.real.astype(np.float32).view(np.uint32)
        bits = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
        return bits, wide(bits, kind)
    if kind in ("i8", "i32"):
        kept = np.round(values.real * 20).astype(NUMPY[kind])
    else:
        kept = values.astype(NUMPY[kind]) if kind in ("c32", "c64") else values.real.astype(NUMPY[kind])
    return kept, wide(kept, kind)


def wide(values, kind):
    if kind == "bf16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.complex128 if kind in ("c32", "c64") else np.float64)


def normal(*shape):
    return random.standard_normal(shape) + 1j * random.standard_normal(shape)


def scalar(value, kind):
    """A factor in the memory of the host."""
    return stored(np.array([value + 0j]), kind)[0] if kind != "i32" else np.array([value], np.int32)


def close(found, wanted, kind, terms, *what):
    """Within a few roundings of sums of so many terms, relative to the largest number."""
    found = wide(found, kind)
    assert found.shape == wanted.shape, (found.shape, wanted.shape, *what)
    assert not np.isnan(found).any(), what
    largest = max(1.0, float(np.abs(wanted).max(initial=0)))
    error = float(np.abs(found - wanted).max(initial=0))
    sums = 8 * (terms + 2) * (2.0**-52 if kind in ("f64", "c64") else 2.0**-23)
    assert error <= (2 * EPSILON[kind] + (sums if kind != "i32" else 0)) * largest, (error, *what)


def turned(matrix, operation):
    return [matrix, matrix.T, matrix.conj().T][operation]


class Coordinates:
    """A random sparse matrix: rows, columns and values of its elements, sorted by rows; some rows are empty."""

    def __init__(self, rows, columns, kind, density=0.2, order="rows"):
        self.shape, self.kind = (rows, columns), kind
        mask = random.random((rows, columns)) < density
        mask[1::7] = False
        self.rows, self.columns = np.nonzero(mask)
        if order == "none":
            # Unsorted within rows, which keep their place, and with an element that is there twice.
            if len(self.rows):
                self.rows, self.columns = np.append(self.rows, self.rows[-1]), np.append(self.columns, self.columns[-1])
            mixed = np.lexsort((random.random(len(self.rows)), self.rows))
            self.rows, self.columns = self.rows[mixed], self.columns[mixed]
        self.values, self.wide = stored(normal(len(self.rows)), kind)

    def dense(self):
        dense = np.zeros(self.shape, self.wide.dtype)
        np.add.at(dense, (self.rows, self.columns), self.wide)
        return dense

    def offsets(self, lines, count):
        return np.concatenate([[0], np.cumsum(np.bincount(lines, minlength=count))])

    def describe(self, library, format, base=0, widths=(32, 32)):
        """The matrix in a format that has no blocks."""
        (rows, columns), count, type = self.shape, len(self.values), TYPES[self.kind]
        (offsets_type, offsets_of), (type_of, index_of) = (WIDTHS[width] for width in widths)
        index = lambda values, of: Array((values + base).astype(of))
        if format == "Coo":
            arguments = (index(self.rows, index_of), index(self.columns, index_of), Array(self.values), type_of)
        else:
            by_rows = format == "Csr"
            lines, others = (self.rows, self.columns) if by_rows else (self.columns, self.rows)
            order = np.argsort(lines, kind="stable")
            offsets = self.offsets(lines, rows if by_rows else columns)
            arguments = (
                index(offsets, offsets_of), index(others[order], index_of), Array(self.values[order]), offsets_type,
                type_of,
            )  # fmt: skip
        return Descriptor(library, "SpMat", f"Create{format}", rows, columns, count, *arguments, base, type)


def blocks(library, rows, columns, size, kind, format, base=0, order=ROWS):
    """A random matrix of blocks, and the dense one that it is."""
    across = columns // size
    mask = random.random((rows // size, across)) < 0.4
    mask[1::5] = False
    if format == "BlockedEll":
        width = 3
        mask[:] = False
        index = np.full((rows // size, width), -1)
        for line in range(rows // size):
            count = random.integers(0, width + 1)
            index[line, :count] = np.sort(random.permutation(across)[:count])
        # Row by row, over all blocks of a row; those that are not there are 0.
        there = np.repeat(np.repeat(index >= 0, size, 0), size, 1)
        values, numbers = stored(normal(rows, width * size) * there, kind)
        dense = np.zeros((rows, columns), numbers.dtype)
        for line, slot in itertools.product(range(rows // size), range(width)):
            if index[line, slot] >= 0:
                first, of = index[line, slot] * size, slice(line * size, (line + 1) * size)
                dense[of, first : first + size] = numbers[of, slot * size : (slot + 1) * size]
        index = np.where(index < 0, -1, index + base).astype(np.int32)
        arguments = (rows, columns, size, width * size, Array(index), Array(values), 2, base, TYPES[kind])
        return Descriptor(library, "SpMat", "CreateBlockedEll", *arguments), dense
    lines, index = np.nonzero(mask)
    values, numbers = stored(normal(len(lines), size, size), kind)
    dense = np.zeros((rows, columns), numbers.dtype)
    for line, column, block in zip(lines, index, numbers):
        dense[line * size : (line + 1) * size, column * size : (column + 1) * size] = block if order == ROWS else block.T
    offsets = np.concatenate([[0], np.cumsum(mask.sum(1))]) + base
    arguments = (
        rows // size, across, len(lines), size, size, Array(offsets.astype(np.int32)),
        Array((index + base).astype(np.int32)), Array(values), 2, 2, base, TYPES[kind], order,
    )  # fmt: skip
    return Descriptor(library, "SpMat", "CreateBsr", *arguments), dense


def sliced(library, matrix, height, base=0):
    """A matrix in slices of rows."""
    (rows, columns), dense = matrix.shape, matrix.dense()
    lines = [matrix.columns[matrix.rows == row] for row in range(rows)]
    numbers = [matrix.values[matrix.rows == row] for row in range(rows)]
    offsets, index, values = [0], [], []
    for first in range(0, rows, height):
        width = max((len(line) for line in lines[first : first + height]), default=0)
        for at, row in itertools.product(range(width), range(first, first + height)):
            there = row < rows and at < len(lines[row])
            index.append(lines[row][at] + base if there else -1)
            values.append(numbers[row][at] if there else 0)
        offsets.append(len(values))
    arguments = (
        rows, columns, len(matrix.values), len(values), height, Array(np.array(offsets, np.int32) + base),
        Array(np.array(index, np.int32)), Array(np.array(values, NUMPY[matrix.kind])), 2, 2, base, TYPES[matrix.kind],
    )  # fmt: skip
    return Descriptor(library, "SpMat", "CreateSlicedEll", *arguments), dense


def vector(library, values, kind):
    values = values if isinstance(values, Array) else Array(values)
    return Descriptor(library, "DnVec", "CreateDnVec", len(values.like), values, TYPES[kind])


def matrix(library, values, kind, order, padding=2):
    """A dense matrix with rows or columns after its own, and the array that holds it."""
    rows, columns = values.shape
    lines = values if order == ROWS else values.T
    padded = np.hstack([lines, np.full((len(lines), padding), 55, lines.dtype)])
    held = Array(padded)
    made = Descriptor(library, "DnMat", "CreateDnMat", rows, columns, padded.shape[1], held, TYPES[kind], order)

    def get():
        found = held.get()
        assert (found[:, padded.shape[1] - padding :] == padded[:, padded.shape[1] - padding :]).all()
        found = found[:, : padded.shape[1] - padding]
        return found if order == ROWS else found.T

    return made, get


# Types of the sparse matrix and the vector, of the result, and of the arithmetic.
UNIFORM = [(kind, kind, kind, kind) for kind in ("f32", "f64", "c32", "c64")]
MIXED = [
    ("f16", "f16", "f16", "f32"), ("f16", "f16", "f32", "f32"), ("bf16", "bf16", "bf16", "f32"),
    ("bf16", "bf16", "f32", "f32"), ("i8", "i8", "i32", "i32"), ("i8", "i8", "f32", "f32"),
    ("f32", "c32", "c32", "c32"), ("f64", "c64", "c64", "c64"),
]  # fmt: skip


def operations(kind):
    """What can be done to a matrix before it is multiplied."""
    return (N, T, C) if kind in ("c32", "c64") else (N, T)


def spmv(library, a, dense, types, operation, alpha, beta, algorithm=0):
    """A product with a vector, against the dense one. Where beta is 0 the result's memory is not read."""
    kind_a, kind_x, kind_y, compute = types
    wanted = turned(dense, operation)
    x, wide_x = stored(normal(wanted.shape[1]), kind_x)
    y, wide_y = stored(normal(wanted.shape[0]), kind_y)
    if beta == 0:
        wide_y = np.zeros_like(wide_y)
        if kind_y not in ("i32", "bf16"):
            y[:] = np.nan
    Y = Array(y)
    arguments = (
        operation, scalar(alpha, compute), a, vector(library, x, kind_x), scalar(beta, compute),
        vector(library, Y, kind_y), TYPES[compute], algorithm,
    )  # fmt: skip
    buffer = library.size("SpMV_bufferSize", *arguments)
    ok(library.run("SpMV_preprocess", *arguments, buffer))
    ok(library.run("SpMV", *arguments, buffer), types, operation)
    wanted = alpha * (wanted @ wide_x) + beta * wide_y
    close(Y.get(), wanted, kind_y, dense.shape[1] // 4, "SpMV", types, operation, alpha, beta, algorithm)


def check_spmv():
    sizes = [(5, 7)] if FEW else [(5, 7), (130, 77), (1, 1)]
    for types, (rows, columns), format in itertools.product(UNIFORM + MIXED, sizes, ("Csr", "Csc", "Coo")):
        coordinates = Coordinates(rows, columns, types[0])
        for base, operation in itertools.product((0, 1), operations(types[0])):
            a = coordinates.describe(own, format, base)
            spmv(own, a, coordinates.dense(), types, operation, 2, 0)
            spmv(own, a, coordinates.dense(), types, operation, 3, -1)
    for widths, format in itertools.product([(32, 32), (64, 64), (64, 32)], ("Csr", "Csc", "Coo")):
        if widths[0] != widths[1] and format == "Csc":
            continue
        coordinates = Coordinates(60, 50, "f64", order="none" if format == "Csr" else "rows")
        for operation in (N, T):
            a = coordinates.describe(own, format, 1, widths)
            spmv(own, a, coordinates.dense(), UNIFORM[1], operation, 2, 1)
    for types, base in itertools.product(UNIFORM, (0, 1)):
        for order in (ROWS, COLUMNS):
            a, dense = blocks(own, 12, 20, 4, types[0], "Bsr", base, order)
            spmv(own, a, dense, types, N, 2, 1)
        a, dense = sliced(own, Coordinates(21, 13, types[0]), 4, base)
        for operation in operations(types[0]):
            spmv(own, a, dense, types, operation, 2, 1)
    if not FEW:
        # Enough to be divided between threads, with a row that is most of the matrix.
        for format, operation in itertools.product(("Csr", "Csc", "Coo"), (N, T)):
            coordinates = Coordinates(700, 900, "f64", density=0.3)
            spmv(own, coordinates.describe(own, format), coordinates.dense(), UNIFORM[1], operation, 2, -1)
    # Nothing at all: no elements, no rows, no columns.
    for shape, format in itertools.product([(4, 3), (0, 3), (4, 0), (0, 0)], ("Csr", "Csc", "Coo")):
        coordinates = Coordinates(*shape, "f32", density=0)
        spmv(own, coordinates.describe(own, format), coordinates.dense(), UNIFORM[0], N, 2, 3)
        spmv(own, coordinates.describe(own, format), coordinates.dense(), UNIFORM[0], N, 2, 0)


def spmm(library, a, dense, types, both, orders, columns, alpha, beta, algorithm=0):
    """A product with a matrix, against the dense one."""
    kind_a, kind_b, kind_c, compute = types
    of_a, of_b = both
    left = turned(dense, of_a)
    shape = (left.shape[1], columns)
    b, wide_b = stored(normal(*(shape if of_b == N else shape[::-1])), kind_b)
    before, wide_c = stored(normal(left.shape[0], columns), kind_c)
    if beta == 0:
        wide_c = np.zeros_like(wide_c)
        if kind_c not in ("i32", "bf16"):
            before[:] = np.nan
    B, _ = matrix(library, b, kind_b, orders[0])
    R, get = matrix(library, before, kind_c, orders[1])
    arguments = (
        of_a, of_b, scalar(alpha, compute), a, B, scalar(beta, compute), R, TYPES[compute], algorithm,
    )  # fmt: skip
    buffer = library.size("SpMM_bufferSize", *arguments)
    ok(library.run("SpMM_preprocess", *arguments, buffer))
    ok(library.run("SpMM", *arguments, buffer), types, both, orders)
    wanted = alpha * (left @ turned(wide_b, of_b)) + beta * wide_c
    close(get(), wanted, kind_c, dense.shape[1] // 4, "SpMM", types, both, orders, columns, alpha, beta)


def check_spmm():
    for types, format in itertools.product(UNIFORM, ("Csr", "Csc", "Coo")):
        coordinates = Coordinates(23, 31, types[0])
        a = coordinates.describe(own, format, base=1)
        for both in itertools.product(operations(types[0]), repeat=2):
            for orders in itertools.product((ROWS, COLUMNS), repeat=2):
                spmm(own, a, coordinates.dense(), types, both, orders, 5, 2, -1)
    for types, format, columns in itertools.product(MIXED, ("Csr", "Coo"), (1, 70)):
        coordinates = Coordinates(23, 31, types[0])
        spmm(own, coordinates.describe(own, format), coordinates.dense(), types, (N, N), (ROWS, COLUMNS), columns, 2, 0)
    for types, format, order in itertools.product(UNIFORM + MIXED[:4], ("Bsr", "BlockedEll"), (ROWS, COLUMNS)):
        for base in (0, 1):
            a, dense = blocks(own, 20, 28, 4, types[0], format, base)
            spmm(own, a, dense, types, (N, N), (order, order), 70, 2, 1)
    if not FEW:
        for operation, order in itertools.product((N, T), (ROWS, COLUMNS)):
            coordinates = Coordinates(700, 500, "f64", density=0.2)
            a = coordinates.describe(own, "Csr")
            spmm(own, a, coordinates.dense(), UNIFORM[1], (operation, N), (order, order), 33, 2, -1)
    # Batches of matrices, of one left factor or of many.
    count, rows, depth, columns = 3, 6, 8, 5
    for shared in (True, False):
        parts = [Coordinates(rows, depth, "f64", density=1.1) for _ in range(1 if shared else count)]
        size, lines = len(parts[0].values), np.concatenate([part.values for part in parts])
        index = np.concatenate([part.columns for part in parts]).astype(np.int32)
        offsets = np.concatenate([part.offsets(part.rows, rows) for part in parts]).astype(np.int32)
        arguments = (rows, depth, size, Array(offsets), Array(index), Array(lines), 2, 2, 0, 1)
        a = Descriptor(own, "SpMat", "CreateCsr", *arguments)
        ok(own.call("CsrSetStridedBatch", a, count, 0 if shared else rows + 1, 0 if shared else size))
        b, before = (random.standard_normal((count, *shape)) for shape in ((columns, depth), (columns, rows)))
        R = Array(before)
        B = Descriptor(own, "DnMat", "CreateDnMat", depth, columns, depth, Array(b), 1, COLUMNS)
        made = Descriptor(own, "DnMat", "CreateDnMat", rows, columns, rows, R, 1, COLUMNS)
        ok(own.call("DnMatSetStridedBatch", B, count, depth * columns))
        ok(own.call("DnMatSetStridedBatch", made, count, rows * columns))
        arguments = (N, N, scalar(2, "f64"), a, B, scalar(-1, "f64"), made, 1, 0)
        ok(own.run("SpMM", *arguments, own.size("SpMM_bufferSize", *arguments)))
        wanted = [
            2 * parts[0 if shared else i].dense() @ b[i].T - before[i].T for i in range(count)
        ]  # fmt: skip
        close(R.get().transpose(0, 2, 1), np.array(wanted), "f64", depth, "batch", shared)


def check_vectors():
    for kind, base, width in itertools.product(("f32", "f64", "c32", "c64"), (0, 1), (32, 64)):
        size, index = 50, np.sort(random.permutation(50)[:17])
        type, of = WIDTHS[width]
        x, wide_x = stored(normal(17), kind)
        y, wide_y = stored(normal(size), kind)

        def both():
            held = Array(x), Array(y)
            arguments = (size, 17, Array((index + base).astype(of)), held[0], type, base, TYPES[kind])
            return *held, Descriptor(own, "SpVec", "CreateSpVec", *arguments), vector(own, held[1], kind)

        X, Y, u, v = both()
        ok(own.run("Axpby", scalar(2, kind), u, scalar(-3, kind), v))
        wanted = -3 * wide_y
        wanted[index] += 2 * wide_x
        close(Y.get(), wanted, kind, 2, "Axpby")
        X, Y, u, v = both()
        Y.put(np.full(size, np.nan, y.dtype))
        ok(own.run("Axpby", scalar(2, kind), u, scalar(0, kind), v))
        wanted = np.zeros_like(wide_y)
        wanted[index] = 2 * wide_x
        close(Y.get(), wanted, kind, 2, "Axpby of nothing")
        X, Y, u, v = both()
        ok(own.run("Gather", v, u))
        close(X.get(), wide_y[index], kind, 0, "Gather")
        X, Y, u, v = both()
        ok(own.run("Scatter", u, v))
        wanted = wide_y.copy()
        wanted[index] = wide_x
        close(Y.get(), wanted, kind, 0, "Scatter")
        X, Y, u, v = both()
        ok(own.run("Rot", scalar(0.6, kind), scalar(0.8, kind), u, v))
        wanted = wide_y.copy()
        wanted[index] = 0.6 * wide_y[index] - 0.8 * wide_x
        close(X.get(), 0.6 * wide_x + 0.8 * wide_y[index], kind, 2, "Rot")
        close(Y.get(), wanted, kind, 2, "Rot")
        for operation in (N, C) if kind in ("c32", "c64") else (N,):
            X, Y, u, v = both()
            result = np.zeros(1, x.dtype)
            buffer = own.size("SpVV_bufferSize", operation, u, v, result, TYPES[kind])
            ok(own.run("SpVV", operation, u, v, result, TYPES[kind], buffer))
            wanted = (wide_x.conj() if operation == C else wide_x) @ wide_y[index]
            close(result, np.array([wanted]), kind, 17, "SpVV", operation)


def check_captured_result():
    """A result in memory of the host is there when the graph has run that the product was captured to."""
    stream, graph, executable = c.c_void_p(), c.c_void_p(), c.c_void_p()
    ok(driver.cuStreamCreate(c.byref(stream), 1))
    ok(own.run("SetStream", stream))
    values, index = Array(np.array([1, 2, 3], np.float32)), Array(np.array([0, 2, 3], np.int32))
    dense, x, y = Array(np.array([5, 6, 7, 8], np.float32)), c.c_void_p(), c.c_void_p()
    ok(own.call("CreateSpVec", c.byref(x), c.c_int64(4), c.c_int64(3), index, values, 2, 0, TYPES["f32"]))
    ok(own.call("CreateDnVec", c.byref(y), c.c_int64(4), dense, TYPES["f32"]))
    result, buffer = np.zeros(1, np.float32), Array(np.zeros(16, np.int8))
    ok(driver.cuStreamBeginCapture_v2(stream, 0))
    ok(own.run("SpVV", N, x, y, result, TYPES["f32"], buffer))
    ok(driver.cuStreamEndCapture(stream, c.byref(graph)))
    assert result[0] == 0
    ok(driver.cuGraphInstantiateWithFlags(c.byref(executable), graph, c.c_ulonglong(0)))
    ok(driver.cuGraphLaunch(executable, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert result[0] == 5 + 2 * 7 + 3 * 8
    ok(own.run("SetStream", None))
    ok(driver.cuGraphExecDestroy(executable))
    ok(driver.cuGraphDestroy(graph))
    ok(driver.cuStreamDestroy_v2(stream))


def get_sizes(library, matrix):
    sizes = [np.zeros(1, np.int64) for _ in range(3)]
    ok(library.call("SpMatGetSize", matrix, *sizes))
    return [int(size[0]) for size in sizes]


def check_conversions():
    for kind, base, order, format in itertools.product(
        ("f32", "f64", "c64", "f16", "bf16"), (0, 1), (ROWS, COLUMNS), ("Csr", "Csc", "Coo")
    ):
        coordinates = Coordinates(90, 40, kind)
        rows, columns = coordinates.shape
        held = np.full((rows, columns), 99, NUMPY[kind])
        dense, get = matrix(own, held, kind, order)
        arguments = (coordinates.describe(own, format, base), dense, 0)
        ok(own.run("SparseToDense", *arguments, own.size("SparseToDense_bufferSize", *arguments)))
        close(get(), coordinates.dense(), kind, 0, "SparseToDense", format, order)
        # And back, with a zero that has a sign.
        if kind != "bf16":
            full = coordinates.dense().astype(NUMPY[kind])
            full[full == 0] = -0.0
            dense, _ = matrix(own, full, kind, order)
        lines = {"Csr": rows, "Csc": columns, "Coo": 0}[format]
        offsets = Array(np.zeros(lines + 1, np.int32))
        empty = (offsets, None, None, 2, 2) if format != "Coo" else (None, None, None, 2)
        made = Descriptor(own, "SpMat", f"Create{format}", rows, columns, 0, *empty, base, TYPES[kind])
        arguments = (dense, made, 0)
        buffer = own.size("DenseToSparse_bufferSize", *arguments)
        ok(own.run("DenseToSparse_analysis", *arguments, buffer))
        count = len(coordinates.values)
        assert get_sizes(own, made) == [rows, columns, count]
        first, second, values = (Array(np.zeros(count, of)) for of in (np.int32, np.int32, NUMPY[kind]))
        ok(own.call(f"{format}SetPointers", made, first if format == "Coo" else offsets, second, values))
        ok(own.run("DenseToSparse_convert", *arguments, buffer))
        by = (coordinates.columns, coordinates.rows) if format == "Csc" else (coordinates.rows, coordinates.columns)
        sorted_ = np.lexsort(by[::-1])
        if format == "Coo":
            assert (first.get() == by[0] + base).all()
        else:
            assert (offsets.get() == coordinates.offsets(by[0], lines) + base).all()
        assert (second.get() == by[1][sorted_] + base).all()
        assert (values.get() == coordinates.values[sorted_]).all()


def spgemm(library, a, b, kind, rows, columns, alpha, beta=0, base=0, reuse=False, algorithm=0):
    """A product of sparse matrices: offsets, columns and values of the result."""
    offsets, type = Array(np.zeros(rows + 1, np.int32)), TYPES[kind]
    made = Descriptor(library, "SpMat", "CreateCsr", rows, columns, 0, offsets, None, None, 2, 2, base, type)
    work = c.c_void_p()
    ok(library.call("SpGEMM_createDescr", c.byref(work)))
    factors = (scalar(alpha, kind), scalar(beta, kind))
    size = np.zeros(3, np.uint64)
    buffers = []

    def buffer(index=0):
        buffers.append(Array(np.zeros(int(size[index]), np.uint8)))
        return buffers[-1]

    if reuse:
        start = (N, N, a, b, made, algorithm, work)
        ok(library.run("SpGEMMreuse_workEstimation", *start, size, None))
        ok(library.run("SpGEMMreuse_workEstimation", *start, size, buffer()))
        ok(library.run("SpGEMMreuse_nnz", *start, size[:1], None, size[1:2], None, size[2:], None))
        both = buffer(0), buffer(1), buffer(2)
        ok(library.run("SpGEMMreuse_nnz", *start, size[:1], both[0], size[1:2], both[1], size[2:], both[2]))
    else:
        start = (N, N, factors[0], a, b, factors[1], made, type, algorithm, work)
        for part in ("workEstimation", "compute"):
            ok(library.run(f"SpGEMM_{part}", *start, size, None), part)
            ok(library.run(f"SpGEMM_{part}", *start, size, buffer()), part)
    count = get_sizes(library, made)[2]
    index, values = Array(np.zeros(count, np.int32)), Array(np.ones(count, NUMPY[kind]))
    ok(library.call("CsrSetPointers", made, offsets, index, values))
    if reuse:
        ok(library.run("SpGEMMreuse_copy", *start, size, None))
        ok(library.run("SpGEMMreuse_copy", *start, size, buffer()))
        start = (N, N, factors[0], a, b, factors[1], made, type, algorithm, work)
        for _ in range(2):
            values.put(np.ones(count, NUMPY[kind]))
            ok(library.run("SpGEMMreuse_compute", *start))
    else:
        ok(library.run("SpGEMM_copy", *start))
    ok(library.call("SpGEMM_destroyDescr", work))
    return offsets.get(), index.get(), values.get()


def check_spgemm():
    for kind, (rows, depth, columns), reuse in itertools.product(
        ("f32", "f64", "c32", "c64"), [(7, 9, 11), (300, 200, 250), (3, 1, 2)], (False, True)
    ):
        a, b = Coordinates(rows, depth, kind, 0.1, order="none"), Coordinates(depth, columns, kind, 0.1)
        for bases in ((0, 0, 0), (1, 0, 1)):
            left, right = a.describe(own, "Csr", bases[0]), b.describe(own, "Csr", bases[1])
            offsets, index, values = spgemm(own, left, right, kind, rows, columns, 2, 0, bases[2], reuse)
            # Elements that are there, whatever they sum up to.
            there = (np.abs(a.dense()) > 0).astype(int) @ (np.abs(b.dense()) > 0).astype(int)
            lines, others = np.nonzero(there)
            assert (offsets == a.offsets(lines, rows) + bases[2]).all()
            assert (index == others + bases[2]).all()
            wanted = (2 * a.dense() @ b.dense())[lines, others]
            close(values, wanted, kind, depth, "SpGEMM", reuse)
    # More columns than there is memory for sums.
    at, rows, wide = np.array([5, 1 << 20, 1 << 32, (1 << 33) - 1]), 6, 1 << 33
    a, b = Coordinates(rows, 3, "f64", 0.9), Coordinates(3, len(at), "f64", 0.8)
    lists = [Array(v.astype(np.int64)) for v in (b.offsets(b.rows, 3), at[b.columns], np.zeros(rows + 1))]
    A = a.describe(own, "Csr", widths=(64, 64))
    B = Descriptor(own, "SpMat", "CreateCsr", 3, wide, len(b.values), *lists[:2], Array(b.values), 3, 3, 0, 1)
    made = Descriptor(own, "SpMat", "CreateCsr", rows, wide, 0, lists[2], None, None, 3, 3, 0, 1)
    work, size, buffer = c.c_void_p(), np.zeros(1, np.uint64), Array(np.zeros(4096, np.uint8))
    ok(own.call("SpGEMM_createDescr", c.byref(work)))
    start = (N, N, scalar(1, "f64"), A, B, scalar(0, "f64"), made, 1, 0, work)
    ok(own.run("SpGEMM_workEstimation", *start, size, buffer))
    ok(own.run("SpGEMM_compute", *start, size, buffer))
    there = (a.dense() != 0).astype(int) @ (b.dense() != 0)
    lines, columns = np.nonzero(there)
    assert get_sizes(own, made)[2] == len(lines)
    index, found = Array(np.zeros(len(lines), np.int64)), Array(np.zeros(len(lines)))
    ok(own.call("CsrSetPointers", made, lists[2], index, found))
    ok(own.run("SpGEMM_copy", *start))
    assert (index.get() == at[columns]).all()
    close(found.get(), (a.dense() @ b.dense())[lines, columns], "f64", 3, "SpGEMM", "wide")
    ok(own.call("SpGEMM_destroyDescr", work))
    # A column times a row, with more elements than offsets of 32 bits can count: found before there is memory for them.
    n = 50_000
    ones, zeros, ascending = (Array(v) for v in (np.ones(n, np.float32), np.zeros(n, np.int32), np.arange(n + 1, dtype=np.int32)))
    ends, nothing = Array(np.array([0, n], np.int32)), Array(np.zeros(n + 1, np.int32))
    column = Descriptor(own, "SpMat", "CreateCsr", n, 1, n, ascending, zeros, ones, 2, 2, 0, 0)
    row = Descriptor(own, "SpMat", "CreateCsr", 1, n, n, ends, ascending, ones, 2, 2, 0, 0)
    made = Descriptor(own, "SpMat", "CreateCsr", n, n, 0, nothing, None, None, 2, 2, 0, 0)
    work, size = c.c_void_p(), np.zeros(1, np.uint64)
    ok(own.call("SpGEMM_createDescr", c.byref(work)))
    start = (N, N, scalar(1, "f32"), column, row, scalar(0, "f32"), made, 0, 0, work, size, nothing)
    assert own.run("SpGEMM_workEstimation", *start) == INSUFFICIENT_RESOURCES
    assert own.run("SpGEMM_compute", *start) == INSUFFICIENT_RESOURCES
    ok(own.call("SpGEMM_destroyDescr", work))


def check_sddmm():
    for types, orders, format in itertools.product(
        UNIFORM + MIXED[:1], itertools.product((ROWS, COLUMNS), repeat=2), ("Csr", "Bsr")
    ):
        kind = types[0]
        for of_a, of_b in itertools.product((N, T), repeat=2):
            rows, depth, columns = 20, 37, 28
            if format == "Csr":
                coordinates = Coordinates(rows, columns, types[2])
                made, dense = coordinates.describe(own, "Csr", 1), coordinates.dense()
            else:
                made, dense = blocks(own, rows, columns, 4, types[2], "Bsr")
            a, wide_a = stored(normal(*((rows, depth) if of_a == N else (depth, rows))), kind)
            b, wide_b = stored(normal(*((depth, columns) if of_b == N else (columns, depth))), kind)
            A, _ = matrix(own, a, kind, orders[0])
            B, _ = matrix(own, b, kind, orders[1])
            arguments = (of_a, of_b, scalar(2, types[3]), A, B, scalar(-1, types[3]), made, TYPES[types[3]], 0)
            buffer = own.size("SDDMM_bufferSize", *arguments)
            ok(own.run("SDDMM_preprocess", *arguments, buffer))
            ok(own.run("SDDMM", *arguments, buffer))
            found, get = matrix(own, np.zeros(dense.shape, NUMPY[types[2]]), types[2], ROWS)
            if format == "Csr":
                ok(own.run("SparseToDense", made, found, 0, None))
                wanted = (2 * turned(wide_a, of_a) @ turned(wide_b, of_b) - dense) * (dense != 0)
                close(get(), wanted, types[2], depth, "SDDMM", types, orders)


def check_triangular():
    for kind, format, operation in itertools.product(LETTERS.values(), ("Csr", "Csc", "Coo"), (N, T, C)):
        if operation == C and kind in ("f32", "f64"):
            continue
        for upper, unit, base in itertools.product((0, 1), (0, 1), (0, 1)):
            size = 40
            coordinates = Coordinates(size, size, kind, 0.15)
            # A diagonal that is there, and large.
            off = coordinates.rows != coordinates.columns
            coordinates.rows = np.concatenate([coordinates.rows[off], np.arange(size)])
            coordinates.columns = np.concatenate([coordinates.columns[off], np.arange(size)])
            values = np.concatenate([0.2 * coordinates.wide[off], 2 + random.random(size)])
            order = np.lexsort((coordinates.columns, coordinates.rows))
            coordinates.rows, coordinates.columns = coordinates.rows[order], coordinates.columns[order]
            coordinates.values, coordinates.wide = stored(values[order] + 0j, kind)
            a = coordinates.describe(own, format, base)
            for attribute, value in ((0, upper), (1, unit)):
                ok(own.call("SpMatSetAttribute", a, attribute, np.array([value], np.int32), 4))
            dense = coordinates.dense()
            half = np.triu(dense) if upper else np.tril(dense)
            if unit:
                np.fill_diagonal(half, 1)
            half = turned(half, operation)
            x, wide_x = stored(normal(size), kind)
            Y = Array(np.zeros_like(x))
            work = c.c_void_p()
            ok(own.call("SpSV_createDescr", c.byref(work)))
            arguments = (operation, scalar(2, kind), a, vector(own, x, kind), vector(own, Y, kind), TYPES[kind], 0, work)
            buffer = own.size("SpSV_bufferSize", *arguments)
            ok(own.run("SpSV_analysis", *arguments, buffer))
            ok(own.run("SpSV_solve", *arguments))
            close(Y.get(), 2 * np.linalg.solve(half, wide_x), kind, 4 * size, "SpSV", format, operation, upper, unit)
            if format == "Csr" and operation == N and not unit:
                # Twice the values, then another diagonal.
                ok(own.run("SpSV_updateMatrix", work, Array(2 * coordinates.values), 0))
                ok(own.run("SpSV_solve", *arguments))
                close(Y.get(), np.linalg.solve(half, wide_x), kind, 4 * size, "SpSV of other values")
                ok(own.run("SpSV_updateMatrix", work, Array(np.full(size, 8, x.dtype)), 1))
                ok(own.run("SpSV_solve", *arguments))
                other = 2 * half
                np.fill_diagonal(other, 8)
                close(Y.get(), 2 * np.linalg.solve(other, wide_x), kind, 4 * size, "SpSV of another diagonal")
            ok(own.call("SpSV_destroyDescr", work))
            for of_b, orders in itertools.product((N, T), ((ROWS, COLUMNS), (COLUMNS, COLUMNS))):
                right, wide_right = stored(normal(*((size, 3) if of_b == N else (3, size))), kind)
                B, _ = matrix(own, right, kind, orders[0])
                X, get = matrix(own, np.zeros((size, 3), right.dtype), kind, orders[1])
                ok(own.call("SpSM_createDescr", c.byref(work)))
                arguments = (operation, of_b, scalar(2, kind), a, B, X, TYPES[kind], 0, work)
                buffer = own.size("SpSM_bufferSize", *arguments)
                ok(own.run("SpSM_analysis", *arguments, buffer))
                ok(own.run("SpSM_solve", *arguments))
                wanted = 2 * np.linalg.solve(half, turned(wide_right, of_b))
                close(get(), wanted, kind, 4 * size, "SpSM", format, operation, of_b)
                ok(own.call("SpSM_destroyDescr", work))


def check_streams():
    """Work of streams: in order, in graphs, and with factors in memory of the device."""
    coordinates = Coordinates(40, 40, "f64")
    dense, x = coordinates.dense(), random.standard_normal(40)
    a, X, Y = coordinates.describe(own, "Csr"), Array(x), Array(np.zeros(40))
    alpha, beta = Array(np.array([2.0])), Array(np.array([0.5]))
    ok(own.run("SetPointerMode", 1))
    arguments = (N, alpha, a, vector(own, X, "f64"), beta, vector(own, Y, "f64"), 1, 0)
    stream, graph, exec_ = c.c_void_p(), c.c_void_p(), c.c_void_p()
    ok(driver.cuStreamCreate(c.byref(stream), 1))
    ok(own.run("SetStream", stream))
    ok(driver.cuStreamBeginCapture_v2(stream, 0))
    ok(own.run("SpMV", *arguments, None))
    ok(driver.cuStreamEndCapture(stream, c.byref(graph)))
    ok(driver.cuGraphInstantiateWithFlags(c.byref(exec_), graph, c.c_ulonglong(0)))
    assert (Y.get() == 0).all()
    y = np.zeros(40)
    for round in range(3):
        alpha.put(np.array([2.0 + round]))
        ok(driver.cuGraphLaunch(exec_, stream))
        ok(driver.cuStreamSynchronize(stream))
        y = (2 + round) * dense @ x + 0.5 * y
        close(Y.get(), y, "f64", 40, "graph", round)
    ok(own.run("SetStream", None))
    ok(own.run("SetPointerMode", 0))
    ok(driver.cuGraphExecDestroy(exec_))
    ok(driver.cuGraphDestroy(graph))
    ok(driver.cuStreamDestroy_v2(stream))
    # A product of which the pointers are changed after its descriptor was made.
    coordinates.values = coordinates.wide = random.standard_normal(len(coordinates.values))
    held = coordinates.describe(own, "Csr")
    ok(own.call("CsrSetPointers", a, *held.arguments[3:6]))
    Y = Array(np.zeros(40))
    one, zero = scalar(1, "f64"), scalar(0, "f64")
    ok(own.run("SpMV", N, one, a, vector(own, X, "f64"), zero, vector(own, Y, "f64"), 1, 0, None))
    close(Y.get(), coordinates.dense() @ x, "f64", 40, "changed pointers")


def statuses(library):
    """What right and wrong calls answer, by what they are."""
    answers = {}
    f, u = np.float32, lambda *values: Array(np.array(values, np.float32))
    coordinates = Coordinates(6, 6, "f32", density=0.5)
    coordinates.values[:] = 1
    formats = {format: coordinates.describe(library, format) for format in ("Csr", "Csc", "Coo")}
    formats["Bsr"], _ = blocks(library, 6, 6, 2, "f32", "Bsr")
    formats["BlockedEll"], _ = blocks(library, 6, 6, 2, "f32", "BlockedEll")
    formats["Sell"], _ = sliced(library, coordinates, 2)
    ones = np.ones(6, np.float32)
    x, y, short = (vector(library, ones[:count], "f32") for count in (6, 6, 5))
    double = vector(library, np.ones(6), "f64")
    alpha, beta = scalar(1, "f32"), scalar(0, "f32")
    place, buffer = np.zeros(1, np.uint64), Array(np.zeros(1 << 16, np.uint8))

    def ask(name, *arguments):
        answers[name] = library.run(*arguments)
        return answers[name]

    for format, a in formats.items():
        for operation, algorithm in itertools.product((N, T, C, 3), range(8)):
            arguments = (operation, alpha, a, x, beta, y, 0, algorithm)
            ask(f"SpMV {format} {operation} {algorithm}", "SpMV_bufferSize", *arguments, place)
            if answers[f"SpMV {format} {operation} {algorithm}"] == 0:
                ask(f"SpMV run {format} {operation} {algorithm}", "SpMV", *arguments, buffer)
    a = formats["Csr"]
    right = [N, alpha, a, x, beta, y, 0, 0, place]
    for what, at, wrong in [
        ("alpha", 1, None), ("A", 2, None), ("x", 3, None), ("beta", 4, None), ("y", 5, None), ("size", 8, None),
        ("short x", 3, short), ("short y", 5, short), ("double x", 3, double), ("double y", 5, double),
        ("f64", 6, 1), ("f16", 6, 2), ("c32", 6, 4), ("type 99", 6, 99),
    ]:  # fmt: skip
        ask(f"SpMV {what}", "SpMV_bufferSize", *right[:at], wrong, *right[at + 1 :])
    for what, kinds in [
        ("all f16", ("f16", "f16", "f16", 0)), ("f16 by f16", ("f16", "f16", "f16", 2)), ("f16 to f32", ("f16", "f16", "f32", 0)),
        ("i8 to i32", ("i8", "i8", "i32", 10)), ("i8 to f32", ("i8", "i8", "f32", 0)), ("i8", ("i8", "i8", "i8", 10)),
        ("bf16", ("bf16", "bf16", "bf16", 0)), ("f32 f64", ("f32", "f64", "f64", 1)), ("f32 c32", ("f32", "c32", "c32", 4)),
        ("f64 c64", ("f64", "c64", "c64", 5)), ("c32 f32", ("c32", "f32", "c32", 4)), ("f64 f32", ("f64", "f32", "f64", 1)),
        ("f32 f32 f64", ("f32", "f32", "f64", 1)), ("f32 by f64", ("f32", "f32", "f32", 1)), ("i32", ("i32", "i32", "i32", 10)),
    ]:  # fmt: skip
        for format in ("Csr", "Coo"):
            m = Coordinates(6, 6, kinds[0], density=0.5).describe(library, format)
            v = [vector(library, stored(normal(6), kind)[0], kind) for kind in kinds[1:3]]
            factor = np.zeros(2)
            ask(f"SpMV types {what} {format}", "SpMV_bufferSize", N, factor, m, v[0], factor, v[1], kinds[3], 0, place)
            d = [matrix(library, stored(normal(6, 4), kind)[0], kind, COLUMNS)[0] for kind in kinds[1:3]]
            ask(f"SpMM types {what} {format}", "SpMM_bufferSize", N, N, factor, m, d[0], factor, d[1], kinds[3], 0, place)
    for widths in itertools.product((16, 32, 64), repeat=2):
        m = coordinates.describe(library, "Csr", 0, widths)
        ask(f"SpMV widths {widths}", "SpMV_bufferSize", N, alpha, m, x, beta, y, 0, 0, place)
    square = np.ones((6, 6), np.float32)
    made = {order: matrix(library, square, "f32", order)[0] for order in (ROWS, COLUMNS)}
    small = matrix(library, square[:5], "f32", COLUMNS)[0]
    for widths in itertools.product((16, 32, 64), repeat=2):
        m = coordinates.describe(library, "Csr", 0, widths)
        arguments = (N, N, alpha, m, made[ROWS], beta, made[ROWS], 0, 0, place)
        ask(f"SpMM widths {widths}", "SpMM_bufferSize", *arguments)
    for format, m in formats.items():
        for of_a, of_b, algorithm in itertools.product((N, T, C), (N, T, C), (0, 1, 4, 13, 14, 9)):
            for orders in itertools.product((ROWS, COLUMNS), repeat=2):
                arguments = (of_a, of_b, alpha, m, made[orders[0]], beta, made[orders[1]], 0, algorithm, place)
                ask(f"SpMM {format} {of_a} {of_b} {algorithm} {orders}", "SpMM_bufferSize", *arguments)
    right = [N, N, alpha, a, made[ROWS], beta, made[ROWS], 0, 0, place]
    for what, at, wrong in [
        ("alpha", 2, None), ("A", 3, None), ("B", 4, None), ("beta", 5, None), ("C", 6, None), ("size", 9, None),
        ("small B", 4, small), ("small C", 6, small), ("f64", 7, 1), ("op A", 0, 3), ("op B", 1, 3),
    ]:  # fmt: skip
        ask(f"SpMM {what}", "SpMM_bufferSize", *right[:at], wrong, *right[at + 1 :])
    # Systems of equations, products of dense matrices, and conversions.
    for kind in ("SpSV", "SpSM"):
        work = c.c_void_p()
        ok(library.call(f"{kind}_createDescr", c.byref(work)))
        dense = (x, y) if kind == "SpSV" else (made[COLUMNS], made[COLUMNS])
        for format, m in formats.items():
            for operation, algorithm in itertools.product((N, T, C), range(4)):
                both = (operation,) if kind == "SpSV" else (operation, N)
                arguments = (*both, alpha, m, *dense, 0, algorithm, work, place)
                ask(f"{kind} {format} {operation} {algorithm}", f"{kind}_bufferSize", *arguments)
        first = (N,) if kind == "SpSV" else (N, N)
        right = [*first, alpha, a, *dense, 0, 0, work, place]
        for what, at, wrong in [("alpha", 0, None), ("A", 1, None), ("x", 2, None), ("y", 3, None), ("f64", 4, 1)]:
            at += len(first)
            ask(f"{kind} {what}", f"{kind}_bufferSize", *right[:at], wrong, *right[at + 1 :])
        ask(f"{kind} update", f"{kind}_updateMatrix", work, None, 0)
        ok(library.call(f"{kind}_destroyDescr", work))
    for format, m in formats.items():
        for order in (ROWS, COLUMNS):
            ask(f"SparseToDense {format} {order}", "SparseToDense_bufferSize", m, made[order], 0, place)
            ask(f"DenseToSparse {format} {order}", "DenseToSparse_bufferSize", made[order], m, 0, place)
            for both in itertools.product((N, T, C), repeat=2):
                arguments = (*both, alpha, made[order], made[ROWS], beta, m, 0, 0, place)
                ask(f"SDDMM {format} {order} {both}", "SDDMM_bufferSize", *arguments)
    ask("SparseToDense small", "SparseToDense_bufferSize", a, small, 0, place)
    ask("SparseToDense algorithm", "SparseToDense_bufferSize", a, made[ROWS], 1, place)
    work = c.c_void_p()
    ok(library.call("SpGEMM_createDescr", c.byref(work)))
    for of_a, of_b, algorithm in itertools.product((N, T), (N, T), range(7)):
        arguments = (of_a, of_b, alpha, a, a, beta, a, 0, algorithm, work, place, None)
        ask(f"SpGEMM {of_a} {of_b} {algorithm}", "SpGEMM_workEstimation", *arguments)
    for format, m in formats.items():
        ask(f"SpGEMM {format}", "SpGEMM_workEstimation", N, N, alpha, m, m, beta, m, 0, 0, work, place, None)
    right = [N, N, alpha, a, a, beta, a, 0, 0, work, place, None]
    for what, at, wrong in [("alpha", 2, None), ("A", 3, None), ("beta", 5, None), ("f64", 7, 1), ("size", 10, None)]:
        ask(f"SpGEMM {what}", "SpGEMM_workEstimation", *right[:at], wrong, *right[at + 1 :])
    ok(library.call("SpGEMM_destroyDescr", work))
    index = Array(np.arange(3).astype(np.int32))
    v = Descriptor(library, "SpVec", "CreateSpVec", 6, 3, index, Array(ones[:3]), 2, 0, 0)
    for what, arguments in {
        "Axpby": (alpha, v, beta, y), "Axpby alpha": (None, v, beta, y), "Axpby short": (alpha, v, beta, short),
        "Axpby double": (alpha, v, beta, double), "Gather": (y, v), "Gather short": (short, v), "Scatter": (v, y),
        "Scatter null": (None, y), "Rot": (alpha, beta, v, y), "Rot null": (None, beta, v, y),
    }.items():  # fmt: skip
        ask(what, what.split()[0], *arguments)
    for what, arguments in {
        "N": (N, v, y, place, 0), "T": (T, v, y, place, 0), "C": (C, v, y, place, 0), "f64": (N, v, y, place, 1),
        "short": (N, v, short, place, 0), "null": (N, v, y, None, 0),
    }.items():  # fmt: skip
        ask(f"SpVV {what}", "SpVV_bufferSize", *arguments, place)
    sizes = [np.zeros(1, np.int64) for _ in range(3)]
    for format, m in formats.items():
        ask_plain = library.call("SpMatGetSize", m, *sizes)
        answers[f"size of {format}"] = (ask_plain, *(int(size[0]) for size in sizes[:2]))
    return answers


def check_statuses():
    """The same answers as those of NVIDIA's library."""
    ours, theirs = statuses(own), statuses(nvidias())
    different = {what: (ours.get(what), theirs[what]) for what in theirs if ours.get(what) != theirs[what]}
    assert not different, different
    # Which element lies where in blocks that have neighbours.
    theirs = nvidias()
    for format in ("Bsr", "BlockedEll"):
        a, dense = blocks(theirs, 80, 112, 16, "f64", format)
        spmm(theirs, a, dense, UNIFORM[1], (N, N), (COLUMNS, COLUMNS), 5, 2, 1)


if __name__ == "__main__":
    if not FEW:
        check_statuses()
    check_spmv()
    check_spmm()
    check_vectors()
    check_captured_result()
    check_conversions()
    check_spgemm()
    check_sddmm()
    check_triangular()
    check_streams()
    print("PASS")
