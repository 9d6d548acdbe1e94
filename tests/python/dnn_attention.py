"""Our cuDNN's graphs of what training of transformers needs, against NumPy in double precision: gradients of attention as
cudnn-frontend 1.32 builds them, numbers by chance, and floats of 8 bits."""

import math

import numpy as np
from dnn_arrays import dnn, normal, ok, random
from dnn_backend import (
    DATA_TYPE, DESCRIPTOR, FLOAT, FLOAT32, FLOAT64, INT32, INT64, INT_64, NUMPY, Tensor, descriptor, matmul, near, new, number,
    pointwise, put, reduction, run, virtual,
)

ADD, MUL, SUB, EXP, LESS, NOT_LESS, AND, SELECT, INDEX, IDENTITY = 0, 1, 9, 13, 304, 303, 400, 601, 501, 21
BERNOULLI, UNIFORM, NORMAL = range(3)
E4M3, E5M2 = 12, 13


def drawn(y, distribution, parameters, seed, offset=None):
    """The operation that fills a tensor; `seed` is a tensor or a number."""
    what = descriptor("rng", (2300, 29, distribution), *((name, FLOAT64, value) for name, value in parameters))
    source = (2311, INT64, seed) if isinstance(seed, int) else (2311, DESCRIPTOR, seed.descriptor)
    moved = [(2313, DESCRIPTOR, offset.descriptor)] if offset else []
    return descriptor("op_rng", (2310, DESCRIPTOR, y.descriptor), source, (2312, DESCRIPTOR, what), *moved)


def integer(value):
    return Tensor(np.full((1, 1, 1, 1), value), INT_64)


def test_numbers_by_chance():
    dims = (3, 4, 50, 60)
    count = np.prod(dims)
    # More digits than a float of double precision has.
    seed = 2**62 + 1
    for distribution, parameters, mean, variance in [
        (BERNOULLI, [(2305, 0.3)], 0.3, 0.21), (UNIFORM, [(2303, 4.0), (2304, -2.0)], 1, 3),
        (NORMAL, [(2301, -1.5), (2302, 2.0)], -1.5, 4),
    ]:
        results = []
        for source, offset in [
            (integer(seed), integer(5)), (integer(seed), integer(5)), (integer(seed + 1), integer(5)),
            (integer(seed), integer(9)), (seed, None), (seed, integer(0)),
        ]:
            y = Tensor(dims=dims)
            tensors = [tensor for tensor in (source, offset) if isinstance(tensor, Tensor)]
            run([drawn(y, distribution, parameters, source, offset)], [y, *tensors])
            results.append(y.get())
            assert abs(results[-1].mean() - mean) < 6 * np.sqrt(variance / count), distribution
            assert abs(results[-1].var() - variance) < 0.1 * variance, distribution
        assert (results[0] == results[1]).all() and (results[4] == results[5]).all()
        # Others have nothing to do with the first, from its beginning or from a later place on.
        first = results[0].ravel() - mean
        for other in results[2:5]:
            for way in (0, 1, 4):
                related = (first[way:] * (other.ravel()[: count - way] - mean)).mean() / variance
                assert abs(related) < 6 / np.sqrt(count), (distribution, way, related)
        if distribution == UNIFORM:
            assert results[0].min() >= -2 and results[0].max() < 4
        if distribution == BERNOULLI:
            assert set(np.unique(results[0])) == {0, 1}
    made = new("op_rng")
    assert put(made, 2311, FLOAT64, 1.0) == 2010
    assert dnn.cudnnBackendFinalize(made) == 2000


class Ragged:
    """`[batch, heads, rows, width]`, of which items have so many rows, which lie one after the other for all heads."""

    def __init__(self, values, lengths, ty=FLOAT):
        self.shape, self.lengths, (_, heads, rows, width) = values.shape, lengths, values.shape
        ends = np.concatenate([[0], np.cumsum(lengths)])
        self.offsets = Tensor((ends * heads * width).reshape(-1, 1, 1, 1), INT32)
        packed = [item[:, :length].swapaxes(0, 1) for item, length in zip(values, lengths)]
        # Nobody has to do with what follows.
        packed = np.concatenate([*packed, np.full((1, heads, width), 9.0)])
        strides = [rows * heads * width, width, heads * width, 1]
        self.tensor = Tensor(packed, ty, self.shape, strides, offsets=self.offsets)
        self.tensor.values, self.tensor.get_packed = values, self.tensor.get
        self.tensor.get, self.tensor.offsets = self.get, self.offsets

    def get(self):
        packed = self.tensor.get_packed()
        assert (packed[-1] == 9).all()
        result = np.zeros(self.shape)
        for item, (first, length) in enumerate(zip(np.cumsum([0, *self.lengths]), self.lengths)):
            result[item, :, :length] = packed[first : first + length].swapaxes(0, 1)
        return result


def test_ragged_tensors():
    values = normal(3, 2, 5, 4)
    for lengths in ([5, 5, 5], [4, 0, 2]):
        for item, length in enumerate(lengths):
            values[item, :, length:] = 0
        x, y = Ragged(values, lengths), Ragged(np.full(values.shape, 7.0), lengths)
        full, twice = Tensor(np.full(values.shape, 7.0)), virtual(*values.shape)
        # From a ragged one to one with room for all, and back.
        run([pointwise(IDENTITY, full, x.tensor)], [x.tensor, x.offsets, full])
        assert (full.get() == np.float32(values)).all(), lengths
        # With rows in the last dimension.
        swapped = Tensor(dims=(3, 2, 4, 5), strides=(40, 4, 1, 8), offsets=x.offsets)
        swapped.address, full = x.tensor.address, Tensor(np.full((3, 2, 4, 5), 7.0))
        run([pointwise(IDENTITY, full, swapped)], [swapped, x.offsets, full])
        assert (full.get() == np.float32(values.swapaxes(2, 3))).all(), lengths
        tensors = [x.tensor, x.offsets, y.tensor, y.offsets]
        run([pointwise(ADD, twice, x.tensor, x.tensor), pointwise(IDENTITY, y.tensor, twice)], tensors)
        assert (y.get() == 2 * np.float32(values)).all(), lengths
    few = Tensor(np.zeros((3, 1, 1, 1)), INT32)
    made = new("tensor")
    dims, strides = (3, 2, 5, 4), (40, 4, 8, 1)
    for attribute in [(901, DATA_TYPE, FLOAT), (902, INT64, *dims), (903, INT64, *strides), (906, INT64, 77),
                      (913, DESCRIPTOR, few.descriptor)]:
        ok(put(made, *attribute))
    # There has to be an end of the last one.
    assert dnn.cudnnBackendFinalize(made) == 2000


class Attention:
    """Inputs of an attention whose heads share keys and values in groups, and its scores."""

    def __init__(self, causal, padded, probability, ty, ragged=False):
        self.batch, self.heads, self.groups, self.queries, self.keys, self.width = 2, 4, 2, 6, 7, 8
        self.causal, self.padded, self.probability, self.ty, self.scale = causal, padded, probability, ty, 0.3
        of_q, of_k = (self.batch, self.heads, self.queries, self.width), (self.batch, self.groups, self.keys, self.width)
        values = [normal(*dims) for dims in (of_q, of_k, of_k, of_q)]
        self.lengths, self.ragged = (np.array([4, 6]), np.array([7, 5])), ragged
        if padded:
            # What lies beyond the lengths is not looked at.
            for item, (rows, columns) in enumerate(zip(*self.lengths)):
                for tensor, length in zip(values, (rows, columns, columns, rows)):
                    tensor[item, :, length:] = np.nan
        self.q, self.k, self.v, self.do = (self.real(value) for value in values)
        self.scores = (self.batch, self.heads, self.queries, self.keys)
        self.seed, self.offset = integer(1234), integer(8)
        self.rows, self.columns = (Tensor(length.reshape(2, 1, 1, 1), INT32) for length in self.lengths)

    def real(self, values):
        """A tensor in memory, of queries or of keys."""
        if not self.ragged:
            return Tensor(values, self.ty)
        return Ragged(values, self.lengths[0 if values.shape[2] == self.queries else 1], self.ty).tensor

    def factors(self):
        """Which elements stay, as the same seed gives them."""
        if self.probability is None:
            return 1.0
        y = Tensor(dims=self.scores)
        run([drawn(y, BERNOULLI, [(2305, 1 - self.probability)], self.seed, self.offset)], [y, self.seed, self.offset])
        return y.get() / (1 - self.probability)

    def seen(self):
        row, column = np.arange(self.queries)[:, None], np.arange(self.keys)
        seen = np.ones(self.scores, bool)
        if self.causal:
            seen &= row >= column
        if self.padded:
            seen &= (row < self.lengths[0][:, None, None, None]) & (column < self.lengths[1][:, None, None, None])
        return seen

    def wanted(self):
        """The output, the logarithms of softmax's sums, and the gradients of q, k and v."""
        q, k, v, do = (np.nan_to_num(tensor.values) for tensor in (self.q, self.k, self.v, self.do))
        share = self.heads // self.groups
        k_all, v_all = np.repeat(k, share, 1), np.repeat(v, share, 1)
        e = np.where(self.seen(), np.exp(self.scale * q @ k_all.swapaxes(2, 3)), 0)
        sums = e.sum(3, keepdims=True)
        p = np.divide(e, sums, out=np.zeros_like(e), where=sums > 0)
        factors = self.factors()
        o = (p * factors) @ v_all
        dp = do @ v_all.swapaxes(2, 3) * factors
        ds = p * (dp - (p * dp).sum(3, keepdims=True)) * self.scale
        with np.errstate(divide="ignore"):
            statistics = np.log(sums)

        def grouped(gradient):
            return gradient.reshape(self.batch, self.groups, share, self.keys, self.width).sum(2)

        dv = grouped((p * factors).swapaxes(2, 3) @ do)
        return o, statistics, ds @ k_all, grouped(ds.swapaxes(2, 3) @ q), dv

    def swapped(self, tensor):
        """The other view on a matrix: for the memory of `tensor` with its last two dimensions exchanged."""
        dims = [*tensor.dims[:2], tensor.dims[3], tensor.dims[2]]
        size = dims[2] * dims[3]
        return Tensor(dims=dims, strides=[dims[1] * size, size, 1, dims[2]], virtual=True)

    def backward(self, o, statistics):
        """The gradients, by the operations of cudnn-frontend."""
        operations, used = [], [self.q, self.k, self.v, self.do, o, statistics]

        def then(mode, x, b=None, t=None, *parameters, dims=self.scores):
            y = virtual(*dims)
            used.extend(tensor for tensor in (x, b, t) if tensor and not tensor.virtual)
            operations.append(pointwise(mode, y, x, b, t, *parameters))
            return y

        def viewed(x, y):
            ports = (2200, DESCRIPTOR, x.descriptor), (2201, DESCRIPTOR, y.descriptor)
            operations.append(descriptor("reshape", *ports, (2202, 31, 0)))
            return y

        def product(a, b, dims, rows, columns, depth, y=None):
            y = y or virtual(*dims)
            limits = dict(rows=rows, columns=columns, depth=depth) if self.padded else {}
            used.extend(tensor for tensor in limits.values() if tensor)
            operations.append(matmul(a, b, y, **limits))
            return y

        def transposed(tensor):
            """A real tensor as the other factor of a product."""
            dims = [*tensor.dims[:2], tensor.dims[3], tensor.dims[2]]
            strides = [dims[1] * dims[2] * dims[3], dims[2] * dims[3], 1, dims[2]]
            if self.ragged:
                strides[1], strides[3] = dims[2], dims[1] * dims[2]
            offsets = tensor.offsets if self.ragged else None
            other = Tensor(dims=dims, strides=strides, ty=self.ty, offsets=offsets)
            other.address = tensor.address
            used.append(other)
            return other

        of_q, of_k = self.q.dims, self.k.dims
        of_all = (self.batch, self.heads, self.keys, self.width)
        rows, columns = self.rows, self.columns
        sum_of_rows = virtual(*of_q[:3], 1)
        # Its steps mean nothing, as those that the frontend gives it, of which several elements have the same place.
        of_o = Tensor(dims=of_q, strides=[1, self.queries * self.width, self.heads * self.width, 1], virtual=True)
        operations.extend([pointwise(MUL, of_o, self.do, o), reduction(0, of_o, sum_of_rows)])
        # The sums have a place of their own in memory.
        kept = Tensor(dims=(*of_q[:3], 1))
        used.append(kept)
        inverse = number(1.0 if self.probability is None else 1 - self.probability)
        used.append(inverse)
        operations.append(pointwise(MUL, kept, sum_of_rows, inverse))
        s = product(self.q, transposed(self.k), self.scores, rows, columns, None)
        s = then(SUB, then(MUL, s, number(self.scale)), statistics)
        least = number(-np.inf)
        if self.padded or self.causal:
            row, column = (then(INDEX, s, None, None, (9, INT64, axis)) for axis in (2, 3))
        if self.padded:
            s = then(SELECT, s, least, then(AND, then(LESS, row, rows), then(LESS, column, columns)))
        if self.causal:
            s = then(SELECT, s, least, then(NOT_LESS, row, column))
        p = then(EXP, s)
        stays = None
        if self.probability is not None:
            stays = virtual(*self.scores)
            used.extend([self.seed, self.offset])
            operations.append(drawn(stays, BERNOULLI, [(2305, 1 - self.probability)], self.seed, self.offset))
            grow = number(1 / (1 - self.probability))
        dropped = p if stays is None else then(MUL, then(MUL, p, stays), grow)
        outputs = [self.real(np.full(dims, 9.0)) for dims in (of_q, of_k, of_k)]
        dq, dk, dv = outputs
        used.extend(outputs)
        full = product(viewed(dropped, self.swapped(dropped)), self.do, of_all, columns, None, rows)
        operations.append(reduction(0, full, dv))
        dp = product(self.do, transposed(self.v), self.scores, rows, columns, None)
        dp = dp if stays is None else then(MUL, dp, stays)
        ds = then(MUL, then(SUB, dp, kept), p)
        ds = ds if stays is None else then(MUL, ds, grow)
        ds = then(MUL, ds, number(self.scale))
        full = product(viewed(ds, self.swapped(ds)), self.q, of_all, columns, None, rows)
        operations.append(reduction(0, full, dk))
        # The keys, which the frontend has transposed, seen as they were.
        steps = [math.prod(of_k[1:]), self.width, self.groups * self.width, 1] if self.ragged else None
        offsets = self.k.offsets if self.ragged else None
        back = Tensor(dims=of_k, strides=steps, virtual=True, offsets=offsets)
        sums = Tensor(dims=of_q)
        used.append(sums)
        product(ds, viewed(transposed(self.k), back), of_q, rows, None, columns, sums)
        operations.append(pointwise(IDENTITY, dq, sums))
        used.extend([tensor.offsets for tensor in used if self.ragged and hasattr(tensor, "offsets")])
        run(operations, list({tensor.uid: tensor for tensor in used}.values()))
        return outputs


def test_gradients_of_attention():
    for causal, padded, probability, ty, ragged in [
        (False, False, None, FLOAT, False), (True, False, None, 2, False), (False, True, None, FLOAT, False),
        (True, True, None, FLOAT, False), (False, False, 0.3, FLOAT, False), (True, True, 0.5, FLOAT, False),
        (True, True, None, FLOAT, True), (False, True, 0.5, 2, True),
    ]:
        what = (causal, padded, probability, ty, ragged)
        attention = Attention(causal, padded, probability, ty, ragged)
        o, statistics, *wanted = attention.wanted()
        if padded:
            # As a forward pass may leave them.
            beyond = np.arange(attention.queries)[:, None] >= attention.lengths[0][:, None, None, None]
            o, statistics = np.where(beyond, np.nan, o), np.where(beyond, -np.inf, statistics)
        got = attention.backward(attention.real(o), Tensor(statistics))
        for name, tensor, value in zip("qkv", got, wanted):
            near(tensor, value, name, *what, terms=64)


def floats(ty):
    """The numbers of all bytes."""
    bits = np.arange(256)
    sign, rest = np.where(bits & 0x80, -1.0, 1.0), bits & 0x7F
    digits, bias = (3, 7) if ty == E4M3 else (2, 15)
    exponent, fraction = rest >> digits, (rest & (1 << digits) - 1) / (1 << digits)
    value = np.where(exponent > 0, (1 + fraction) * 2.0 ** (exponent - bias), fraction * 2.0 ** (1 - bias))
    if ty == E4M3:
        value = np.where(rest == 0x7F, np.nan, value)
    else:
        value = np.where(exponent == 31, np.where(fraction == 0, np.inf, np.nan), value)
    return sign * value


NUMPY.update({E4M3: np.uint8, E5M2: np.uint8})


def of_bytes(dims, ty, most):
    """A tensor of floats of 8 bits that are not greater, with their values."""
    table = floats(ty)
    choices = np.flatnonzero(np.abs(table) <= most)
    made = Tensor(random.choice(choices, dims), ty)
    made.values = table[made.memory]
    return made


def test_floats_of_eight_bits():
    """Products of scaled numbers, as matmul_fp8 of cudnn-frontend makes them: with factors, and the greatest result."""
    for ty in (E4M3, E5M2):
        a, b = of_bytes((2, 9, 20), ty, 8), of_bytes((2, 20, 11), E4M3, 8)
        y, greatest = Tensor(np.zeros((2, 9, 11)), ty), Tensor(dims=(1, 1, 1))
        factors = [Tensor(np.full((1, 1, 1), value)) for value in (0.5, 0.25, 0.125)]
        steps = [virtual(2, 9, 11) for _ in range(3)]
        run([
            matmul(a, b, steps[0]), pointwise(MUL, steps[1], steps[0], factors[0]),
            pointwise(MUL, steps[2], steps[1], factors[1]), reduction(4, steps[2], greatest),
            pointwise(MUL, y, steps[2], factors[2]),
        ], [a, b, y, greatest, *factors])
        product = a.values @ b.values / 8
        near(greatest, np.abs(product).max(keepdims=True), terms=20)
        table = floats(ty)
        finite = table[np.isfinite(table)]
        # The nearest of the type's numbers; of two, the one whose last digit is even.
        exact = np.clip(product / 8, finite.min(), finite.max())
        distance = np.abs(table[None] - exact.reshape(-1, 1))
        distance[:, ~np.isfinite(table)] = np.inf
        distance = np.where(np.arange(256) % 2 == 1, distance * (1 + 1e-12), distance)
        wanted = table[distance.argmin(1)].reshape(exact.shape)
        got = table[y.get().astype(int)]
        assert (got == wanted).all(), (ty, got[got != wanted], exact[got != wanted])


def test_attention_as_one_operation():
    """With dropout, which the gradients' operations make again of the same seed, and of floats of 8 bits with their factors."""
    dims, scores = (2, 4, 6, 8), (2, 4, 6, 7)
    seed, offset, scale, p = integer(77), integer(3), number(0.3), 0.4
    mask, shown = Tensor(dims=scores), Tensor(np.full(scores, 9.0))
    run([drawn(mask, BERNOULLI, [(2305, 1 - p)], seed, offset)], [mask, seed, offset])
    q, k, v = Tensor(normal(*dims)), Tensor(normal(2, 2, 7, 8)), Tensor(normal(2, 2, 7, 8))
    o, statistics = Tensor(dims=dims), Tensor(dims=(2, 4, 6, 1))

    def wanted(q, k, v):
        e = np.exp(0.3 * q @ np.repeat(k, 2, 1).swapaxes(2, 3))
        return e / e.sum(3, keepdims=True), np.repeat(v, 2, 1), np.log(e.sum(3, keepdims=True))

    def attention(q, k, v, o, *others):
        ports = [(2800, q), (2801, k), (2802, v), (2803, o), (2804, statistics), (2805, scale), *others]
        return ports, [tensor for _, tensor in ports]

    ports, tensors = attention(q, k, v, o, (2815, seed), (2816, offset), (2817, shown))
    ports = [(name, DESCRIPTOR, tensor.descriptor) for name, tensor in ports]
    run([descriptor("sdpa", *ports, (2818, FLOAT32, p))], tensors)
    assert (shown.get() == mask.get()).all() and 0 < mask.get().mean() < 1
    probabilities, values, logarithms = wanted(q.values, k.values, v.values)
    near(o, probabilities * mask.get() / (1 - p) @ values, terms=16)
    near(statistics, logarithms, terms=16)

    q, k, v = of_bytes(dims, E4M3, 2), of_bytes((2, 2, 7, 8), E4M3, 2), of_bytes((2, 2, 7, 8), E5M2, 2)
    o = Tensor(np.zeros(dims), E4M3)
    factors = {2822: 0.5, 2823: 0.25, 2824: 2.0, 2825: 1 / 64, 2826: 64.0, 2827: 8.0}
    greatest = [Tensor(dims=(1, 1, 1, 1)) for _ in range(2)]
    given = [(name, Tensor(np.full((1, 1, 1, 1), value))) for name, value in factors.items()]
    ports, tensors = attention(q, k, v, o, *given, (2828, greatest[0]), (2829, greatest[1]))
    run([descriptor("sdpa", *((name, DESCRIPTOR, tensor.descriptor) for name, tensor in ports))], tensors)
    probabilities, values, logarithms = wanted(q.values * 0.5, k.values * 0.25, v.values * 2)
    result = probabilities @ values
    near(statistics, logarithms, terms=16)
    near(greatest[0], probabilities.max().reshape(1, 1, 1, 1), terms=16)
    near(greatest[1], np.abs(result).max().reshape(1, 1, 1, 1), terms=16)
    # Half of the distance between two numbers with three binary digits, and what sums lose.
    error = np.abs(floats(E4M3)[o.get().astype(int)] / 8 - result)
    assert (error <= np.abs(result) * (2**-4 + 1e-5) + 2**-10 / 8).all(), error.max()


def test_attention_of_pages():
    """Keys and values of one sequence lie in pages in any order; what is not theirs is no number."""
    batch, heads, groups, queries, width, rows, pages = 2, 4, 2, 5, 8, 3, 4
    lengths, numbers = np.array([7, 11]), np.array([[4, 0, 6, 99], [5, 3, 1, 2]])
    q, o = Tensor(normal(batch, heads, queries, width)), Tensor(dims=(batch, heads, queries, width))
    k, v = normal(7, groups, rows, width), normal(7, groups, rows, width)

    def in_rows(container):
        all_rows = np.zeros((batch, groups, pages * rows, width))
        for item, page in np.ndindex(batch, pages):
            if numbers[item, page] < 7:
                all_rows[item, :, page * rows : (page + 1) * rows] = container[numbers[item, page]]
        return np.float32(all_rows).astype(float)

    wanted_k, wanted_v = in_rows(k), in_rows(v)
    for container in (k, v):
        # The first item's third page has one row, the second one's fourth has two.
        container[6, :, 1:], container[2, :, 2:] = np.nan, np.nan
    table = Tensor(numbers.reshape(batch, 1, pages, 1), INT32)
    of_q, of_k = Tensor(np.array([5, 3]).reshape(2, 1, 1, 1), INT32), Tensor(lengths.reshape(2, 1, 1, 1), INT32)
    tensors = [(2800, q), (2801, Tensor(k)), (2802, Tensor(v)), (2803, o), (2807, table), (2808, table), (2809, of_q),
               (2810, of_k)]
    ports = ((name, DESCRIPTOR, tensor.descriptor) for name, tensor in tensors)
    run([descriptor("sdpa", *ports)], [tensor for _, tensor in tensors])
    e = np.exp(q.values @ np.repeat(wanted_k, 2, 1).swapaxes(2, 3))
    e = np.where(np.arange(pages * rows) < lengths[:, None, None, None], e, 0)
    result = e / e.sum(3, keepdims=True) @ np.repeat(wanted_v, 2, 1)
    result[1, :, 3:] = 0
    near(o, result, terms=16)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name)
