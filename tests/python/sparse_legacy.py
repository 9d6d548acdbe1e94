"""The functions of ZLUDA's own cuSPARSE that are older than its generic descriptors, against NumPy in double precision, and
their statuses against those of NVIDIA's cuSPARSE."""

from sparse_products import *  # noqa: F403


class Told:
    """What the functions are told about a matrix."""

    def __init__(self, library, base=0, fill=0, diagonal=0):
        self.library, self.address = library, c.c_void_p()
        ok(library.call("CreateMatDescr", c.byref(self.address)))
        for name, value in (("IndexBase", base), ("FillMode", fill), ("DiagType", diagonal)):
            ok(library.call(f"SetMat{name}", self.address, value))

    def __del__(self):
        self.library.call("DestroyMatDescr", self.address)


def csr(coordinates, base=0):
    """Values, offsets and columns, in the order of most functions."""
    offsets = coordinates.offsets(coordinates.rows, coordinates.shape[0]) + base
    index = coordinates.columns + base
    return Array(coordinates.values), Array(offsets.astype(np.int32)), Array(index.astype(np.int32))


def check_sums():
    for (letter, kind), bases in itertools.product(LETTERS.items(), [(0, 0, 0), (1, 0, 1)]):
        m, n = 40, 30
        a, b = Coordinates(m, n, kind), Coordinates(m, n, kind)
        told = [Told(own, base).address for base in bases]
        kept = [Told(own, base) for base in bases]
        told = [one.address for one in kept]
        (va, oa, ia), (vb, ob, ib) = csr(a, bases[0]), csr(b, bases[1])
        offsets, total, size = Array(np.zeros(m + 1, np.int32)), np.zeros(1, np.int32), np.zeros(1, np.uint64)
        alpha, beta = scalar(2, kind), scalar(-3, kind)
        left = (told[0], len(a.values), va, oa, ia)
        right = (told[1], len(b.values), vb, ob, ib)
        arguments = (m, n, alpha, *left, beta, *right, told[2], None, offsets, None, size)
        ok(own.run(f"{letter}csrgeam2_bufferSizeExt", *arguments))
        arguments = (m, n, told[0], len(a.values), oa, ia, told[1], len(b.values), ob, ib, told[2], offsets, total, None)
        ok(own.run("Xcsrgeam2Nnz", *arguments))
        lines, index = np.nonzero((a.dense() != 0) | (b.dense() != 0))
        assert total[0] == len(lines)
        assert (offsets.get() == a.offsets(lines, m) + bases[2]).all()
        values, columns = Array(np.zeros(len(lines), NUMPY[kind])), Array(np.zeros(len(lines), np.int32))
        arguments = (m, n, alpha, *left, beta, *right, told[2], values, offsets, columns, None)
        ok(own.run(f"{letter}csrgeam2", *arguments))
        assert (columns.get() == index + bases[2]).all()
        close(values.get(), (2 * a.dense() - 3 * b.dense())[lines, index], kind, 2, "csrgeam2")


def banded(diagonals):
    """The dense matrix of diagonals, of which the middle one is the main one."""
    size, below = len(diagonals[0]), len(diagonals) // 2
    dense = np.zeros((size, size), np.result_type(*diagonals))
    for number, diagonal in enumerate(diagonals):
        for row in range(size):
            if 0 <= row + number - below < size:
                dense[row, row + number - below] = diagonal[row]
    return dense


def check_bands():
    for letter, kind in LETTERS.items():
        for m, n in [(3, 1), (50, 19)]:
            # A small pivot first, which only exchanged rows bear.
            pairs = [stored(normal(m), kind) for _ in range(3)]
            whole = banded([wide_d for _, wide_d in pairs])
            b, wide_b = stored(normal(n, m), kind)
            for name in ("gtsv2", "gtsv2_nopivot"):
                if name == "gtsv2_nopivot":
                    pairs[1] = stored(pairs[1][1] + 6, kind)
                    whole = banded([wide_d for _, wide_d in pairs])
                B = Array(np.hstack([b, np.full((n, 2), 77, b.dtype)]))
                start = (m, n, *(Array(d) for d, _ in pairs), B, m + 2)
                buffer = own.size(f"{letter}{name}_bufferSizeExt", *start)
                ok(own.run(f"{letter}{name}", *start, buffer))
                found = B.get()
                assert (found[:, m:] == 77).all()
                wanted = np.linalg.solve(whole, wide_b.T).T
                spread = np.linalg.cond(whole)
                close(found[:, :m], wanted, kind, m * spread, name)
        for count, m, diagonals in itertools.product((1, 6), (3, 4, 40), (3, 5)):
            pairs = [stored(normal(count, m), kind) for _ in range(diagonals)]
            pairs[diagonals // 2] = stored(pairs[diagonals // 2][1] + 8, kind)
            x, wide_x = stored(normal(count, m), kind)
            wholes = [banded([d[i] for _, d in pairs]) for i in range(count)]
            wanted = np.array([np.linalg.solve(whole, wide_x[i]) for i, whole in enumerate(wholes)])
            if diagonals == 3:
                X = Array(x)
                start = (m, *(Array(d) for d, _ in pairs), X, count, m)
                buffer = own.size(f"{letter}gtsv2StridedBatch_bufferSizeExt", *start)
                ok(own.run(f"{letter}gtsv2StridedBatch", *start, buffer))
                close(X.get(), wanted, kind, 8 * m, "gtsv2StridedBatch")
            name = "gtsvInterleavedBatch" if diagonals == 3 else "gpsvInterleavedBatch"
            X = Array(np.ascontiguousarray(x.T))
            start = (0, m, *(Array(np.ascontiguousarray(d.T)) for d, _ in pairs), X, count)
            buffer = own.size(f"{letter}{name}_bufferSizeExt", *start)
            ok(own.run(f"{letter}{name}", *start, buffer))
            close(X.get().T, wanted, kind, 8 * m, name)


def check_sorts():
    m, n, base = 50, 40, 1
    coordinates = Coordinates(m, n, "f64")
    count = len(coordinates.values)
    mixed = random.permutation(count)
    rows, columns = coordinates.rows[mixed].astype(np.int32), coordinates.columns[mixed].astype(np.int32)
    for by_rows in (True, False):
        R, S, P = Array(rows), Array(columns), Array(np.zeros(count, np.int32))
        ok(own.run("CreateIdentityPermutation", count, P))
        assert (P.get() == np.arange(count)).all()
        buffer = own.size("Xcoosort_bufferSizeExt", m, n, count, R, S)
        ok(own.run(f"XcoosortBy{'Row' if by_rows else 'Column'}", m, n, count, R, S, P, buffer))
        order = np.lexsort((columns, rows) if by_rows else (rows, columns))
        assert (R.get() == rows[order]).all() and (S.get() == columns[order]).all() and (P.get() == order).all()
    # Lines whose elements are in any order; a permutation that is none yet.
    mixed = np.lexsort((random.random(count), coordinates.rows))
    index = (coordinates.columns[mixed] + base).astype(np.int32)
    offsets = Array((coordinates.offsets(coordinates.rows, m) + base).astype(np.int32))
    for name in ("csr", "csc"):
        size = (m, n) if name == "csr" else (n, m)
        I, P, told = Array(index), Array(np.arange(count).astype(np.int32) + 5), Told(own, base)
        buffer = own.size(f"X{name}sort_bufferSizeExt", *size, count, offsets, I)
        ok(own.run(f"X{name}sort", *size, count, told.address, offsets, I, P, buffer))
        assert (I.get() == coordinates.columns + base).all()
        assert (index[P.get() - 5] == coordinates.columns + base).all()
    lines = Array((coordinates.rows + base).astype(np.int32))
    found = Array(np.zeros(m + 1, np.int32))
    ok(own.run("Xcoo2csr", lines, count, m, found, base))
    assert (found.get() == offsets.get()).all()
    found = Array(np.zeros(count, np.int32))
    ok(own.run("Xcsr2coo", offsets, count, m, found, base))
    assert (found.get() == lines.get()).all()
    for kind, action in itertools.product(("f32", "f64", "c32", "c64", "f16", "i8"), (0, 1)):
        coordinates = Coordinates(m, n, kind)
        count = len(coordinates.values)
        values, offsets, index = csr(coordinates, base)
        to = Array(np.zeros(count, NUMPY[kind])), Array(np.zeros(n + 1, np.int32)), Array(np.zeros(count, np.int32))
        arguments = (m, n, count, values, offsets, index, *to, TYPES[kind], action, base, 1)
        ok(own.run("Csr2cscEx2", *arguments, own.size("Csr2cscEx2_bufferSize", *arguments)))
        order = np.lexsort((coordinates.rows, coordinates.columns))
        assert (to[1].get() == coordinates.offsets(coordinates.columns, n) + base).all()
        assert (to[2].get() == coordinates.rows[order] + base).all()
        assert (to[0].get() == (coordinates.values[order] if action else 0)).all()


def with_diagonal(size, kind, density=0.15):
    """A matrix with a large diagonal."""
    made = Coordinates(size, size, kind, density)
    off = made.rows != made.columns
    rows, columns = (np.concatenate([part[off], np.arange(size)]) for part in (made.rows, made.columns))
    values = np.concatenate([0.2 * made.wide[off], 3 + random.random(size)])
    order = np.lexsort((columns, rows))
    made.rows, made.columns = rows[order], columns[order]
    made.values, made.wide = stored(values[order] + 0j, kind)
    return made


def incomplete(dense, pattern, cholesky):
    """A decomposition that has the elements of a pattern."""
    a, size = dense.copy(), len(dense)
    if cholesky:
        for k in range(size):
            a[k, k] = np.sqrt(a[k, k].real)
            a[k + 1 :, k] /= a[k, k]
            for j in range(k + 1, size):
                a[j:, j] -= a[j:, k] * a[j, k].conj() * pattern[j:, j]
        return a
    for i in range(size):
        for k in range(i):
            if pattern[i, k]:
                a[i, k] /= a[k, k]
                a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :] * pattern[i, k + 1 :]
    return a


class Single(c.Structure):
    """cuComplex."""

    _fields_ = [("x", c.c_float), ("y", c.c_float)]


class Double(c.Structure):
    """cuDoubleComplex."""

    _fields_ = [("x", c.c_double), ("y", c.c_double)]


class Info:
    """What functions know of a matrix."""

    def __init__(self, library, name):
        self.library, self.name, self.address = library, name[0].upper() + name[1:], c.c_void_p()
        ok(library.call(f"Create{self.name}Info", c.byref(self.address)))

    def __del__(self):
        ok(self.library.call(f"Destroy{self.name}Info", self.address))


def decompose(library, letter, name, start, places, info, boost=None):
    """A decomposition by rows or of blocks; the status and the position of a pivot that is 0."""
    if boost is not None:
        ok(library.run(f"{letter}{name}_numericBoost", info.address, 1, np.array([boost[0]]), boost[1]))
    size, position = np.zeros(1, np.int32), np.full(1, -7, np.int32)
    ok(library.run(f"{letter}{name}_bufferSize", *start, *places, info.address, size))
    buffer = Array(np.zeros(max(1, int(size[0])), np.uint8))
    ok(library.run(f"{letter}{name}_analysis", *start, *places, info.address, 0, buffer))
    analysed = library.run(f"X{name}_zeroPivot", info.address, position), int(position[0])
    ok(library.run(f"{letter}{name}", *start, *places, info.address, 0, buffer))
    return analysed, (library.run(f"X{name}_zeroPivot", info.address, position), int(position[0]))


def check_incomplete():
    for (letter, kind), base, cholesky in itertools.product(LETTERS.items(), (0, 1), (False, True)):
        size, name = 35, "ic02" if cholesky else "ilu02"
        a = with_diagonal(size, kind)
        dense = a.dense()
        pattern = dense != 0
        values, offsets, index = csr(a, base)
        told, info = Told(own, base), Info(own, f"csr{name}")
        start = (size, len(a.values), told.address)
        found = decompose(own, letter, f"csr{name}", start, (values, offsets, index), info)
        assert found == ((0, -1), (0, -1)), found
        wanted = incomplete(dense, pattern, cholesky)[a.rows, a.columns]
        if cholesky:
            # Elements above the diagonal stay as they are.
            wanted = np.where(a.columns > a.rows, a.wide, wanted)
        close(values.get(), wanted, kind, size, f"csr{name}")
        # The same of blocks, whose elements are all there.
        block, lines = 3, 8
        small = with_diagonal(lines, kind, 0.3)
        count = len(small.values)
        for direction in (0, 1):
            parts, wide_parts = stored(0.2 * normal(count, block, block), kind)
            parts[small.rows == small.columns] += (4 * np.eye(block)).astype(parts.dtype)
            wide_parts = wide(parts, kind)
            whole = np.zeros((lines * block, lines * block), wide_parts.dtype)
            of = lambda k: (slice(small.rows[k] * block, (small.rows[k] + 1) * block),
                            slice(small.columns[k] * block, (small.columns[k] + 1) * block))  # fmt: skip
            for k in range(count):
                whole[of(k)] = wide_parts[k]
            held = Array(parts if direction == 0 else np.ascontiguousarray(parts.transpose(0, 2, 1)))
            _, offsets, index = csr(small, base)
            info = Info(own, f"bsr{name}")
            start = (direction, lines, count, told.address)
            found = decompose(own, letter, f"bsr{name}", start, (held, offsets, index, block), info)
            assert found == ((0, -1), (0, -1)), found
            wanted = incomplete(whole, whole != 0, cholesky)
            got = held.get() if direction == 0 else held.get().transpose(0, 2, 1)
            for k in range(count):
                lower = small.rows[k] > small.columns[k] or not cholesky
                if small.rows[k] < small.columns[k] and cholesky:
                    continue
                keep = 1 if lower else np.tril(np.ones((block, block)))
                close(got[k] * keep, wanted[of(k)] * keep, kind, 24, f"bsr{name}", direction, k)
            if cholesky:
                continue
            # Equations with the triangles of the decomposition's matrix.
            for operation, upper, unit in itertools.product(operations(kind), (0, 1), (0, 1)):
                half = np.triu(whole) if upper else np.tril(whole)
                if unit:
                    np.fill_diagonal(half, 1)
                half = turned(half, operation)
                held = Array(parts if direction == 0 else np.ascontiguousarray(parts.transpose(0, 2, 1)))
                says, size2, at = Told(own, base, upper, unit), np.zeros(1, np.int32), np.zeros(1, np.int32)
                x, wide_x = stored(normal(lines * block), kind)
                Y, info = Array(np.zeros_like(x)), Info(own, "bsrsv2")
                places = (says.address, held, offsets, index, block, info.address)
                start = (direction, operation, lines, count)
                ok(own.run(f"{letter}bsrsv2_bufferSize", *start, *places, size2))
                ok(own.run(f"{letter}bsrsv2_analysis", *start, *places, 0, None))
                ok(own.run(f"{letter}bsrsv2_solve", *start, scalar(2, kind), *places, Array(x), Y, 0, None))
                ok(own.run("Xbsrsv2_zeroPivot", info.address, at))
                wanted = 2 * np.linalg.solve(half, wide_x)
                close(Y.get(), wanted, kind, 40 * np.linalg.cond(half), "bsrsv2", operation, upper, unit)
                for of_x in (N, T):
                    n = 4
                    right, wide_right = stored(normal(n, lines * block), kind)
                    right = right if of_x == N else np.ascontiguousarray(right.T)
                    X, info = Array(np.zeros_like(right)), Info(own, "bsrsm2")
                    leading = right.shape[1]
                    places = (says.address, held, offsets, index, block, info.address)
                    start = (direction, operation, of_x, lines, n, count)
                    ok(own.run(f"{letter}bsrsm2_analysis", *start, *places, 0, None))
                    dense_places = (Array(right), leading, X, leading)
                    ok(own.run(f"{letter}bsrsm2_solve", *start, scalar(2, kind), *places, *dense_places, 0, None))
                    found = X.get() if of_x == N else X.get().T
                    wanted = 2 * np.linalg.solve(half, wide_right.T).T
                    close(found, wanted, kind, 40 * np.linalg.cond(half), "bsrsm2", operation, of_x)


def pivots(library):
    """What is said of pivots that are 0, or are not there, and values that replace them."""
    answers = {}
    for base, name in itertools.product((0, 1), ("csrilu02", "csric02")):
        for what in ("missing", "zero", "boosted"):
            if what == "boosted" and name == "csric02":
                continue
            dense = 3 * np.eye(5) + np.diag([0.5] * 4, 1) + np.diag([0.5] * 4, -1)
            if what == "missing":
                dense[2, 2] = 0
            rows, columns = np.nonzero(dense)
            values = dense[rows, columns]
            if what != "missing":
                values[(rows == 3) & (columns == 3)] = 0
                values[(rows == 3) & (columns < 3)] = 0
            told, info = Told(library, base), Info(library, name)
            offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=5))]) + base
            held = Array(values)
            places = (held, Array(offsets.astype(np.int32)), Array((columns + base).astype(np.int32)))
            boost = (1e-3, np.array([2.0])) if what == "boosted" else None
            answers[base, name, what] = decompose(library, "D", name, (5, len(values), told.address), places, info, boost)
            if what == "boosted":
                answers[base, name, "values"] = tuple(np.round(held.get(), 12))
    return answers


def check_blocks():
    for (letter, kind), base, direction in itertools.product(LETTERS.items(), (0, 1), (0, 1)):
        a, dense = blocks(own, 20, 28, 4, kind, "Bsr", base, ROWS if direction == 0 else COLUMNS)
        offsets, index, values = a.arguments[5:8]
        told, alpha, beta = Told(own, base), scalar(2, kind), scalar(-1, kind)
        x, wide_x = stored(normal(28), kind)
        y, wide_y = stored(normal(20), kind)
        Y = Array(y)
        places = (alpha, told.address, values, offsets, index, 4)
        ok(own.run(f"{letter}bsrmv", direction, N, 5, 7, len(index.like), *places, Array(x), beta, Y))
        close(Y.get(), 2 * dense @ wide_x - wide_y, kind, 28, "bsrmv")
        for of_b in operations(kind):
            n = 6
            b, wide_b = stored(normal(*((n, 28) if of_b == N else (28, n))), kind)
            before, wide_c = stored(normal(n, 20), kind)
            R = Array(before)
            start = (direction, N, of_b, 5, n, 7, len(index.like))
            ok(own.run(f"{letter}bsrmm", *start, *places, Array(b), b.shape[1], beta, R, 20))
            wanted = 2 * dense @ turned(wide_b.T, of_b) - wide_c.T
            close(R.get().T, wanted, kind, 28, "bsrmm", of_b)
        full = (normal(9, 13) * (random.random((9, 13)) < 0.3)).astype(NUMPY[kind]) if kind in ("c32", "c64") else (
            random.standard_normal((9, 13)) * (random.random((9, 13)) < 0.3)).astype(NUMPY[kind])  # fmt: skip
        counts, total = Array(np.zeros(13 if direction else 9, np.int32)), np.zeros(1, np.int32)
        A = Array(np.ascontiguousarray(full.T))
        ok(own.run(f"{letter}nnz", direction, 9, 13, told.address, A, 9, counts, total))
        assert (counts.get() == (full != 0).sum(0 if direction else 1)).all()
        assert total[0] == (full != 0).sum()


def check_rows():
    for (letter, kind), base in itertools.product(LETTERS.items(), (0, 1)):
        m, n = 40, 30
        a, told, size = Coordinates(m, n, kind), Told(own, base), np.zeros(1, np.uint64)
        values, offsets, index = csr(a, base)
        counts, total = Array(np.zeros(m, np.int32)), np.zeros(1, np.int32)
        # A number by its value: one of two floats, or of two doubles.
        least = {"S": c.c_float(0.7), "D": c.c_double(0.7), "C": Single(0.7, 0), "Z": Double(0.7, 0)}[letter]
        ok(own.run(f"{letter}nnz_compress", m, told.address, values, offsets, counts, total, least))
        stay = np.abs(a.wide) > 0.7
        assert (counts.get() == np.bincount(a.rows[stay], minlength=m)).all() and total[0] == stay.sum()
        to = Array(np.zeros(total[0], NUMPY[kind])), Array(np.zeros(total[0], np.int32)), Array(np.zeros(m + 1, np.int32))
        arguments = (m, n, told.address, values, index, offsets, len(a.values), counts, *to, least)
        ok(own.run(f"{letter}csr2csr_compress", *arguments))
        assert (to[0].get() == a.values[stay]).all() and (to[1].get() == a.columns[stay] + base).all()
        assert (to[2].get() == a.offsets(a.rows[stay], m) + base).all()
        # Sorted, and back as it was.
        mixed = np.lexsort((random.random(len(a.values)), a.rows))
        values, index = Array(a.values[mixed]), Array((a.columns[mixed] + base).astype(np.int32))
        info = c.c_void_p()
        ok(own.call("CreateCsru2csrInfo", c.byref(info)))
        start = (m, n, len(a.values))
        ok(own.run(f"{letter}csru2csr_bufferSizeExt", *start, values, offsets, index, info, size))
        ok(own.run(f"{letter}csru2csr", *start, told.address, values, offsets, index, info, None))
        assert (values.get() == a.values).all() and (index.get() == a.columns + base).all()
        ok(own.run(f"{letter}csr2csru", *start, told.address, values, offsets, index, info, None))
        assert (values.get() == a.values[mixed]).all() and (index.get() == a.columns[mixed] + base).all()
        ok(own.call("DestroyCsru2csrInfo", info))


def statuses_of_legacy(library):
    """What wrong calls answer, by what they are."""
    answers = {}
    told, place, told_wrong = Told(library), np.zeros(1, np.uint64), Told(library)
    ok(library.call("SetMatType", told_wrong.address, 3))
    d = Array(np.ones(64))
    i = Array(np.zeros(64, np.int32))
    one = scalar(1, "f64")

    def ask(what, name, *arguments):
        answers[what] = library.run(name, *arguments)

    for m, n, leading in [(-1, 1, 8), (2, 1, 8), (3, -1, 8), (3, 1, 2), (3, 0, 3), (3, 1, 3)]:
        ask(f"gtsv2 {m} {n} {leading}", "Dgtsv2_bufferSizeExt", m, n, d, d, d, d, leading, place)
        ask(f"gtsv2_nopivot {m} {n} {leading}", "Dgtsv2_nopivot_bufferSizeExt", m, n, d, d, d, d, leading, place)
    for m, count, stride in [(-1, 1, 8), (2, 1, 8), (3, -1, 8), (3, 1, 2), (3, 0, 3), (3, 1, 3)]:
        ask(f"strided {m} {count} {stride}", "Dgtsv2StridedBatch_bufferSizeExt", m, d, d, d, d, count, stride, place)
    for algorithm, m, count in [(0, 4, 1), (3, 4, 1), (-1, 4, 1), (0, -1, 1), (0, 4, -1), (0, 2, 1), (2, 4, 0)]:
        arguments = (algorithm, m, d, d, d, d, count, place)
        ask(f"gtsv interleaved {algorithm} {m} {count}", "DgtsvInterleavedBatch_bufferSizeExt", *arguments)
        arguments = (algorithm, m, d, d, d, d, d, d, count, place)
        ask(f"gpsv interleaved {algorithm} {m} {count}", "DgpsvInterleavedBatch_bufferSizeExt", *arguments)
    for what, m, nnz in [("right", 3, 3), ("negative", -1, 3), ("negative nnz", 3, -1), ("empty", 0, 0)]:
        ask(f"coosort {what}", "Xcoosort_bufferSizeExt", m, 3, nnz, i, i, place)
        ask(f"csrsort {what}", "Xcsrsort_bufferSizeExt", m, 3, nnz, i, i, place)
        for base in (0, 1, 2):
            ask(f"coo2csr {what} {base}", "Xcoo2csr", i, 0 if nnz > 0 else nnz, m, i, base)
        for name in ("csrilu02", "csric02"):
            info, size = Info(library, name), np.zeros(1, np.int32)
            arguments = (m, nnz, told.address, d, i, i, info.address, size)
            ask(f"{name} {what}", f"D{name}_bufferSize", *arguments)
            if what == "right":
                arguments = (m, nnz, told_wrong.address, d, i, i, info.address, size)
                ask(f"{name} type", f"D{name}_bufferSize", *arguments)
                ask(f"{name} position", f"X{name}_zeroPivot", info.address, None)
    ask("identity", "CreateIdentityPermutation", 4, i)
    ask("identity of less", "CreateIdentityPermutation", -1, i)
    for action, algorithm, type in [(0, 1, 0), (1, 1, 0), (2, 1, 0), (1, 2, 0), (1, 3, 0), (1, 0, 0), (1, 1, 99)]:
        arguments = (3, 3, 0, d, i, i, d, i, i, type, action, 0, algorithm, place)
        ask(f"csr2csc {action} {algorithm} {type}", "Csr2cscEx2_bufferSize", *arguments)
    for operation, block, direction in [(N, 2, 0), (T, 2, 0), (C, 2, 0), (N, 0, 0), (N, 2, 2), (N, 1, 1)]:
        arguments = (direction, operation, 2, 2, 0, one, told.address, d, i, i, block, d, one, d)
        ask(f"bsrmv {operation} {block} {direction}", "Dbsrmv", *arguments)
        arguments = (direction, operation, N, 2, 2, 2, 0, one, told.address, d, i, i, block, d, 4, one, d, 4)
        ask(f"bsrmm {operation} {block} {direction}", "Dbsrmm", *arguments)
    return answers


def check_statuses():
    theirs = nvidias()
    for ask in (statuses_of_legacy, pivots):
        one, other = ask(own), ask(theirs)
        different = {what: (one.get(what), other[what]) for what in other if one.get(what) != other[what]}
        assert not different, different


if __name__ == "__main__":
    if not FEW:
        check_statuses()
    check_sums()
    check_bands()
    check_sorts()
    check_incomplete()
    check_blocks()
    check_rows()
    print("PASS")
