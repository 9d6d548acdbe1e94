"""Our cuDNN's graph API against NumPy in double precision: graphs of one and of several operations, the results of which stay
between them, and the statuses of wrong calls as NVIDIA's cuDNN 9.28 gives them."""

import ctypes as c
import json
import math
import re

import numpy as np
from dnn_arrays import dnn, handle, normal, ok, random, runtime
from dnn_backend import (
    CHAR, DATA_TYPE, DESCRIPTOR, DOUBLE, FLOAT, FLOAT32, FLOAT64, FRACTION, HALF, INT32, INT64, INT_64, Tensor, descriptor,
    graph_of, matmul, near, new, number, pack_of, plan_of, pointwise, put, reduction, run, virtual,
)


def test_products_with_what_follows():
    for ty in (FLOAT, HALF, DOUBLE):
        a, b, bias = Tensor(normal(2, 17, 33), ty), Tensor(normal(1, 33, 20), ty), Tensor(normal(1, 1, 20), ty)
        y, product, sum_ = Tensor(dims=(2, 17, 20), ty=ty), virtual(2, 17, 20), virtual(2, 17, 20)
        if ty == DOUBLE:
            product, sum_ = (Tensor(dims=(2, 17, 20), ty=DOUBLE, virtual=True) for _ in range(2))
        # Not in the order in which they run.
        operations = [pointwise(100, y, sum_), pointwise(0, sum_, product, bias), matmul(a, b, product)]
        run(operations, [a, b, bias, y])
        near(y, np.maximum(a.values @ b.values + bias.values, 0), ty, terms=33)
    # Each matrix of a batch has fewer rows and columns than there is room for; what lies beyond them is no number.
    limits = {name: Tensor(np.array(of).reshape(2, 1, 1, 1), INT32) for name, of in
              dict(rows=(3, 9), columns=(5, 0), depth=(4, 2)).items()}
    values_a, values_b = normal(2, 3, 5, 8), normal(2, 1, 8, 7)
    values_a[0, :, 3:], values_a[0, :, :, 4:], values_b[0, :, 4:], values_b[0, :, :, 5:] = [np.nan] * 4
    a, b, y = Tensor(values_a), Tensor(values_b), Tensor(np.full((2, 3, 5, 7), 9.0))
    run([matmul(a, b, y, **limits)], [a, b, y, *limits.values()])
    wanted = np.zeros((2, 3, 5, 7))
    wanted[0, :, :3, :5] = a.values[0, :, :3, :4] @ b.values[0, :, :4, :5]
    near(y, wanted, terms=8)
    # Heads of queries share those of keys.
    a, b, y = Tensor(normal(2, 6, 5, 8)), Tensor(normal(2, 2, 8, 7)), Tensor(dims=(2, 6, 5, 7))
    run([matmul(a, b, y)], [a, b, y])
    near(y, a.values @ np.repeat(b.values, 3, 1), terms=8)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


erf = np.vectorize(math.erf)
UNARY = {
    10: np.abs, 11: np.ceil, 12: np.cos, 13: np.exp, 14: np.floor, 16: np.negative, 18: np.sin, 19: np.tan, 20: erf,
    21: lambda x: x, 22: lambda x: 1 / x, 402: lambda x: x == 0, 100: lambda x: np.maximum(x, 0), 101: np.tanh,
    102: sigmoid, 103: lambda x: np.where(x > 0, x, np.expm1(x)), 104: lambda x: x * (1 + erf(x / math.sqrt(2))) / 2,
    105: lambda x: np.log1p(np.exp(x)), 106: lambda x: x * sigmoid(x),
    107: lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
}
POSITIVE = {4: np.sqrt, 15: np.log, 17: lambda x: 1 / np.sqrt(x)}
BINARY = {
    0: np.add, 1: np.multiply, 2: np.minimum, 3: np.maximum, 5: lambda x, b: x + b * b, 6: np.divide, 7: np.fmod,
    9: np.subtract, 23: np.arctan2, 24: np.mod, 300: np.equal, 301: np.not_equal, 302: np.greater,
    303: np.greater_equal, 304: np.less, 305: np.less_equal, 400: np.logical_and, 401: np.logical_or,
}


def test_pointwise_operations():
    for mode, wanted in (UNARY | POSITIVE).items():
        x, y = Tensor(np.abs(normal(2, 3, 5)) + 0.1 if mode in POSITIVE else normal(2, 3, 5)), Tensor(dims=(2, 3, 5))
        run([pointwise(mode, y, x)], [x, y])
        near(y, wanted(x.values) * 1.0, mode, terms=4)
    for mode, wanted in BINARY.items():
        x, b, y = Tensor(normal(2, 3, 5)), Tensor(normal(1, 3, 1)), Tensor(dims=(2, 3, 5))
        run([pointwise(mode, y, x, b)], [x, b, y])
        near(y, wanted(x.values, b.values) * 1.0, mode, terms=4)
    x, b, y = Tensor(np.abs(normal(2, 3, 5))), Tensor(normal(2, 3, 5)), Tensor(dims=(2, 3, 5))
    run([pointwise(8, y, x, b)], [x, b, y])
    near(y, x.values**b.values, terms=4)
    t = Tensor(random.integers(0, 2, (2, 3, 5)))
    run([pointwise(601, y, x, b, t)], [x, b, t, y])
    near(y, np.where(t.values, x.values, b.values))
    run([pointwise(501, y, x, None, None, (9, INT64, 1))], [x, y])
    near(y, np.broadcast_to(np.arange(3.0)[:, None], (2, 3, 5)))
    # A slope below, and a bound above.
    run([pointwise(100, y, b, None, None, (4, FLOAT64, 0.5), (5, FLOAT32, 0.25))], [b, y])
    near(y, np.where(b.values <= 0, 0.25 * b.values, np.minimum(b.values, 0.5)))
    # Gradients, by differences.
    for mode in [100, 101, 102, 103, 104, 105, 106, 107]:
        x, dy, dx = Tensor(normal(2, 3, 5)), Tensor(normal(2, 3, 5)), Tensor(dims=(2, 3, 5))
        run([pointwise(mode + 100, dx, x, dy, backward=True)], [x, dy, dx])
        f, h = UNARY[mode], 1e-5
        near(dx, (f(x.values + h) - f(x.values - h)) / (2 * h) * dy.values, mode, terms=4)


def test_reductions():
    cases = {
        0: np.sum, 1: np.prod, 2: np.min, 3: np.max, 4: lambda x, a, keepdims: np.abs(x).max(a, keepdims=keepdims),
        5: np.mean, 6: lambda x, a, keepdims: np.abs(x).sum(a, keepdims=keepdims),
        7: lambda x, a, keepdims: np.sqrt((x * x).sum(a, keepdims=keepdims)),
    }
    for operator, wanted in cases.items():
        x, y = Tensor(normal(3, 4, 5, 6)), Tensor(dims=(3, 1, 5, 1))
        run([reduction(operator, x, y)], [x, y])
        near(y, wanted(x.values, (1, 3), keepdims=True), operator, terms=24)


def test_convolutions():
    pre, post, strides = (0, 1), (1, 2), (1, 2)
    what = descriptor(
        "convolution", (100, DATA_TYPE, FLOAT), (101, 7, 1), (102, INT64, 1, 1), (103, INT64, *strides),
        (104, INT64, *post), (105, INT64, *pre), (106, INT64, 2),
    )

    def operation(kind, first, x, w, y):
        names = {"conv_forward": (704, 703, 705), "conv_data": (710, 709, 711), "conv_filter": (716, 715, 717)}[kind]
        tensors = ((n, DESCRIPTOR, t.descriptor) for n, t in zip(names, (x, w, y)))
        return descriptor(
            kind, (first, FLOAT32, 1.0), (first + 1, FLOAT32, 0.0), (first + 2, DESCRIPTOR, what), *tensors
        )

    x, w = Tensor(normal(2, 4, 7, 8)), Tensor(normal(6, 2, 3, 3))
    padded = np.pad(x.values, [(0, 0), (0, 0), (pre[0], post[0]), (pre[1], post[1])])
    seen = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))[:, :, :, ::2]
    wanted = np.concatenate(
        [np.einsum("nchwrs,kcrs->nkhw", seen[:, 2 * g : 2 * g + 2], w.values[3 * g : 3 * g + 3]) for g in range(2)], 1
    )
    bias, between, y = Tensor(normal(1, 6, 1, 1)), virtual(*wanted.shape), Tensor(dims=wanted.shape)
    run([operation("conv_forward", 700, x, w, between), pointwise(0, y, between, bias)], [x, w, bias, y])
    near(y, wanted + bias.values, terms=18)
    dy, dx, dw = Tensor(normal(*wanted.shape)), Tensor(dims=x.dims), Tensor(dims=w.dims)
    run([operation("conv_data", 706, dx, w, dy)], [dx, w, dy])
    run([operation("conv_filter", 712, x, dw, dy)], [x, dw, dy])
    gradient, filters = np.zeros_like(padded), np.zeros(w.dims)
    for g in range(2):
        outs, ins = slice(3 * g, 3 * g + 3), slice(2 * g, 2 * g + 2)
        for r in range(3):
            for s in range(3):
                at = (slice(None), ins, slice(r, r + wanted.shape[2]), slice(s, s + 2 * wanted.shape[3] - 1, 2))
                gradient[at] += np.einsum("nkhw,kc->nchw", dy.values[:, outs], w.values[outs, :, r, s])
                filters[outs, :, r, s] = np.einsum("nkhw,nchw->kc", dy.values[:, outs], padded[at])
    near(dx, gradient[:, :, 0:7, 1:9], terms=18)
    near(dw, filters, terms=50)


def test_norms():
    # The mode, whether a mean is taken away, what statistics and parameters are of.
    layer, instance, batch, rms = 0, 1, 2, 4
    for mode, axes, own in [(layer, (1, 2, 3), (1, 3, 4, 5)), (instance, (2, 3), (1, 3, 1, 1)),
                            (batch, (0, 2, 3), (1, 3, 1, 1)), (rms, (1, 2, 3), (1, 3, 4, 5))]:
        dims = (6, 3, 4, 5)
        kept = tuple(1 if i in axes else n for i, n in enumerate(dims))
        x, y, scale, bias = Tensor(normal(*dims) + 1), Tensor(dims=dims), Tensor(normal(*own)), Tensor(normal(*own))
        mean, inverse, epsilon = Tensor(dims=kept), Tensor(dims=kept), number(1e-3)
        tensors = [(2002, x), (2004, inverse), (2005, scale), (2006, bias), (2007, epsilon), (2013, y)]
        tensors += [(2003, mean)] if mode != rms else []
        running = []
        if mode == batch:
            running = [Tensor(normal(*kept)), Tensor(random.uniform(1, 2, kept)), Tensor(dims=kept), Tensor(dims=kept)]
            tensors += [(2008, number(0.25)), *zip((2009, 2010, 2011, 2012), running)]
        operation = descriptor(
            "norm", (2000, 27, mode), (2001, 28, 1), *((n, DESCRIPTOR, t.descriptor) for n, t in tensors)
        )
        run([operation], [tensor for _, tensor in tensors])
        centre = x.values.mean(axes, keepdims=True) if mode != rms else np.zeros(kept)
        spread = ((x.values - centre) ** 2).mean(axes, keepdims=True)
        turned = 1 / np.sqrt(spread + 1e-3)
        normalised = (x.values - centre) * turned
        near(y, normalised * scale.values + bias.values, mode, terms=8)
        near(inverse, turned, mode, terms=8)
        count = x.values.size // turned.size
        if mode != rms:
            near(mean, centre, mode, terms=8)
        if mode == batch:
            near(running[2], 0.75 * running[0].values + 0.25 * centre, terms=8)
            near(running[3], 0.75 * running[1].values + 0.25 * spread * count / (count - 1), terms=8)

        dy, dx, dscale, dbias = Tensor(normal(*dims)), Tensor(dims=dims), Tensor(dims=own), Tensor(dims=own)
        mean, inverse = Tensor(centre), Tensor(turned)
        tensors = [(2101, x), (2103, inverse), (2104, dy), (2105, scale), (2107, dscale), (2108, dbias), (2109, dx)]
        tensors += [(2102, mean)] if mode != rms else []
        operation = descriptor(
            "norm_bwd", (2100, 27, mode), *((n, DESCRIPTOR, t.descriptor) for n, t in tensors)
        )
        run([operation], [tensor for _, tensor in tensors])
        others = tuple(i for i in range(4) if own[i] == 1)
        near(dbias, dy.values.sum(others, keepdims=True), mode, terms=120)
        near(dscale, (dy.values * normalised).sum(others, keepdims=True), mode, terms=120)
        inner = dy.values * scale.values
        gradient = inner - normalised * (inner * normalised).mean(axes, keepdims=True)
        if mode != rms:
            gradient = gradient - inner.mean(axes, keepdims=True)
        near(dx, gradient * turned, mode, terms=120)


def operation_of(kind, tensors, *attributes):
    return descriptor(kind, *attributes, *((n, DESCRIPTOR, t.descriptor) for n, t in tensors))


def test_adaptive_norms():
    """Each item of a batch has a scale and a bias of its own; statistics are those of a layer."""
    dims, own = (3, 4, 5), (3, 1, 5)
    for training in (True, False):
        x, y, scale, bias = Tensor(normal(*dims) + 1), Tensor(dims=dims), Tensor(normal(*own)), Tensor(normal(*own))
        epsilon = Tensor(np.full((1, 1, 1), 1e-3), by_value=True)
        tensors = [(2002, x), (2005, scale), (2006, bias), (2007, epsilon), (2013, y)]
        run([operation_of("norm", tensors, (2000, 27, 5), (2001, 28, int(training)))], [t for _, t in tensors])
        centre = x.values.mean(2, keepdims=True)
        spread = ((x.values - centre) ** 2).mean(2, keepdims=True)
        near(y, (x.values - centre) / np.sqrt(spread + 1e-3) * scale.values + bias.values, training, terms=8)


def test_batch_norms_in_two_operations():
    dims, own, axes = (6, 3, 4, 5), (1, 3, 1, 1), (0, 2, 3)
    x, scale, bias = Tensor(normal(*dims) + 1), Tensor(normal(*own)), Tensor(normal(*own))
    old_mean, old_variance = Tensor(normal(*own)), Tensor(random.uniform(1, 2, own))
    count = dims[0] * dims[2] * dims[3]
    centre, spread = x.values.mean(axes, keepdims=True), x.values.var(axes, keepdims=True)
    for mode in (0, 1):
        sum_, squares = virtual(*own), virtual(*own)
        statistics = operation_of("gen_stats", [(772, x), (773, sum_), (774, squares)], (770, 16, 0), (771, DATA_TYPE, FLOAT))
        mean, inverse, new_mean, new_variance, factor, addend = (Tensor(dims=own) for _ in range(6))
        number_of = Tensor(np.full((1, 1, 1, 1), count), INT_64, by_value=True)
        tensors = [(784, scale), (785, bias), (786, old_mean), (787, old_variance), (790, mean), (791, inverse), (792, factor),
                   (793, addend), (795, number(1e-3))]
        if mode == 0:
            tensors += [(782, sum_), (783, squares), (788, new_mean), (789, new_variance), (794, number_of), (796, number(0.25))]
        finalize = operation_of("bn_finalize", tensors, (780, 17, mode), (781, DATA_TYPE, FLOAT))
        run([finalize, statistics] if mode == 0 else [finalize], [x] + [tensor for _, tensor in tensors])
        at, width = (centre, spread) if mode == 0 else (old_mean.values, old_variance.values)
        turned = 1 / np.sqrt(width + 1e-3)
        near(mean, at, mode, terms=120)
        near(inverse, turned, mode, terms=120)
        near(factor, scale.values * turned, mode, terms=120)
        near(addend, bias.values - at * scale.values * turned, mode, terms=120)
        if mode == 0:
            near(new_mean, 0.75 * old_mean.values + 0.25 * centre, terms=120)
            near(new_variance, 0.75 * old_variance.values + 0.25 * spread * count / (count - 1), terms=120)
    turned = 1 / np.sqrt(spread + 1e-3)
    mean, inverse, dy = Tensor(centre), Tensor(turned), Tensor(normal(*dims))
    dscale, dbias, of_dy, of_x, addend = (Tensor(dims=own) for _ in range(5))
    tensors = [(1621, mean), (1622, inverse), (1623, scale), (1624, x), (1625, dy), (1626, dscale), (1627, dbias), (1628, of_dy),
               (1629, of_x), (1630, addend)]
    run([operation_of("bn_gradients", tensors, (1620, DATA_TYPE, FLOAT))], [tensor for _, tensor in tensors])
    normalised = (x.values - centre) * turned
    near(dbias, dy.values.sum(axes, keepdims=True), terms=120)
    near(dscale, (dy.values * normalised).sum(axes, keepdims=True), terms=120)
    # What the three parts make together is the gradient of the input.
    inner = dy.values * scale.values
    gradient = inner - inner.mean(axes, keepdims=True) - normalised * (inner * normalised).mean(axes, keepdims=True)
    got = of_dy.get() * dy.values + of_x.get() * x.values + addend.get()
    assert np.abs(got - gradient * turned).max() < 1e-4 * np.abs(gradient * turned).max()


def test_pooling():
    for mode in (2, 3, 4):
        what = descriptor(
            "resample", (1700, 21, mode), (1701, DATA_TYPE, FLOAT), (1702, INT64, 2), (1703, FRACTION, 1, 1),
            (1704, FRACTION, 1, 1), (1705, FRACTION, 2, 2), (1706, FRACTION, 3, 3), (1708, 22, 1 if mode == 3 else 0),
        )
        x = Tensor(normal(2, 3, 7, 7))
        fill = -np.inf if mode == 3 else 0
        view = np.lib.stride_tricks.sliding_window_view

        def seen(values, fill):
            padded = np.pad(values, [(0, 0), (0, 0), (1, 1), (1, 1)], constant_values=fill)
            return view(padded, (3, 3), (2, 3))[:, :, ::2, ::2]

        values = seen(x.values, fill)
        if mode == 3:
            wanted = values.max((4, 5))
        else:
            wanted = values.sum((4, 5)) / (9 if mode == 2 else seen(np.ones_like(x.values), 0).sum((4, 5)))
        y = Tensor(dims=wanted.shape)
        tensors = [(1710, x), (1711, y)]
        operation = descriptor(
            "op_resample", (1716, DESCRIPTOR, what), *((n, DESCRIPTOR, t.descriptor) for n, t in tensors)
        )
        run([operation], [x, y])
        near(y, wanted, mode)


def test_movements():
    a, b, y = Tensor(normal(2, 3, 4)), Tensor(normal(2, 5, 4)), Tensor(dims=(2, 8, 4))
    operation = descriptor(
        "concat", (1800, INT64, 1), (1801, DESCRIPTOR, a.descriptor, b.descriptor), (1803, DESCRIPTOR, y.descriptor)
    )
    run([operation], [a, b, y])
    near(y, np.concatenate([a.values, b.values], 1))
    x, y = Tensor(normal(2, 3, 4)), Tensor(dims=(4, 2, 3))
    ports = lambda first: ((first, DESCRIPTOR, x.descriptor), (first + 1, DESCRIPTOR, y.descriptor))
    run([descriptor("transpose", *ports(3200), (3202, INT64, 2, 0, 1))], [x, y])
    near(y, x.values.transpose(2, 0, 1))
    # A view on the same memory, or what is at the same place in the order of indices.
    for mode in ([], [(2202, 31, 0)], [(2202, 31, 1)]):
        run([descriptor("reshape", *ports(2200), *mode)], [x, y])
        near(y, x.values.reshape(4, 2, 3), mode)
    y = Tensor(dims=(2, 4, 3), strides=(12, 1, 4))
    run([descriptor("reshape", *ports(2200))], [x, y])
    assert (y.get().ravel() == x.values.ravel()).all()
    run([descriptor("reshape", *ports(2200), (2202, 31, 1))], [x, y])
    assert (y.get().ravel() == x.values.reshape(2, 4, 3).swapaxes(1, 2).ravel()).all()
    x, y = Tensor(normal(5, 7, 6)), Tensor(dims=(2, 3, 6))
    starts, limits, strides = (1, 2, 0), (3, 7, 6), (1, 2, 1)
    run([descriptor("slice", *ports(3300), (3302, INT64, *starts), (3303, INT64, *limits), (3304, INT64, *strides))], [x, y])
    near(y, x.values[1:3, 2:7:2, :])


def test_attention():
    batch, heads, groups, queries, keys, width = 2, 4, 2, 9, 11, 8
    for causal in (False, True):
        q, o = Tensor(normal(batch, heads, queries, width)), Tensor(dims=(batch, heads, queries, width))
        k, v = Tensor(normal(batch, groups, keys, width)), Tensor(normal(batch, groups, keys, width))
        statistics, scale = Tensor(dims=(batch, heads, queries, 1)), number(0.3)
        p, s = virtual(batch, heads, queries, keys), virtual(batch, heads, queries, keys)
        softmax = descriptor(
            "softmax", (3100, DESCRIPTOR, p.descriptor), (3101, DESCRIPTOR, s.descriptor),
            (3102, DESCRIPTOR, statistics.descriptor),
        )
        lengths = Tensor(np.array([7, 11]).reshape(2, 1, 1, 1), INT32)
        rows = Tensor(np.array([9, 9]).reshape(2, 1, 1, 1), INT32)
        tensors = [(2800, q), (2801, k), (2802, v), (2803, o), (2805, scale), (2809, rows), (2810, lengths)]
        attributes, inner = [], []
        if causal:
            x, y, other = virtual(batch, heads, queries, keys), virtual(batch, heads, queries, keys), number(-np.inf)
            mask = descriptor(
                "mask", (3000, DESCRIPTOR, x.descriptor), (3005, DESCRIPTOR, other.descriptor),
                (3006, DESCRIPTOR, y.descriptor), (3007, 14, 303),
            )
            attributes = [(2811, DESCRIPTOR, graph_of(mask)), (2812, INT64, x.uid), (2813, INT64, y.uid)]
            inner = [other]
        operation = descriptor(
            "sdpa", *((n, DESCRIPTOR, t.descriptor) for n, t in tensors), (2814, DESCRIPTOR, softmax), *attributes,
        )
        run([operation], [tensor for _, tensor in tensors] + [statistics] + inner)
        scores = 0.3 * q.values @ np.repeat(k.values, 2, 1).swapaxes(2, 3)
        scores[0, :, :, 7:] = -np.inf
        if causal:
            scores = np.where(np.arange(queries)[:, None] >= np.arange(keys), scores, -np.inf)
        e = np.exp(scores)
        near(o, e / e.sum(3, keepdims=True) @ np.repeat(v.values, 2, 1), causal, terms=16)
        near(statistics, np.log(e.sum(3, keepdims=True)), causal, terms=16)


def test_graphs_of_the_driver():
    """A plan's work as nodes of a graph of the driver's, and then with other addresses."""
    a, b, y = Tensor(normal(2, 5, 8)), Tensor(normal(2, 8, 7)), Tensor(np.full((2, 5, 7), 9.0))
    product, factor = virtual(2, 5, 7), Tensor(np.full((1, 1, 1), 3.0), by_value=True)
    tensors = [a, b, y, factor]
    plan, workspace = plan_of(pointwise(1, y, product, factor), matmul(a, b, product))
    inner, outer, node, launched = (c.c_void_p() for _ in range(4))
    for graph in (inner, outer):
        ok(runtime.cuGraphCreate(c.byref(graph), 0))
    pack = pack_of(tensors, workspace)
    ok(dnn.cudnnBackendPopulateCudaGraph(handle, plan, pack, inner))
    count = c.c_size_t()
    ok(runtime.cuGraphGetNodes(inner, None, c.byref(count)))
    nodes = count.value
    assert nodes > 0
    # As cudnn-frontend does it: a graph of its own has it as a node.
    ok(runtime.cuGraphAddChildGraphNode(c.byref(node), outer, None, c.c_size_t(0), inner))
    ok(runtime.cuGraphInstantiateWithFlags(c.byref(launched), outer, c.c_ulonglong(0)))
    assert (y.get() == 9).all()
    for _ in range(2):
        ok(runtime.cuMemsetD8_v2(y.address, c.c_ubyte(0), c.c_size_t(y.memory.nbytes)))
        ok(runtime.cuGraphLaunch(launched, None))
        near(y, 3 * a.values @ b.values, terms=8)
    other, to, larger = Tensor(normal(2, 5, 8)), Tensor(dims=(2, 5, 7)), Tensor(np.full((1, 1, 1), 4.0), by_value=True)
    places = {a.uid: other.address, y.uid: to.address, factor.uid: larger.address}
    ok(runtime.cuGraphChildGraphNodeGetGraph(node, c.byref(inner)))
    ok(dnn.cudnnBackendUpdateCudaGraph(handle, plan, pack_of(tensors, workspace, places), inner))
    ok(runtime.cuGraphGetNodes(inner, None, c.byref(count)))
    assert count.value == nodes
    ok(runtime.cuGraphExecChildGraphNodeSetParams(launched, node, inner))
    ok(runtime.cuMemsetD8_v2(y.address, c.c_ubyte(0), c.c_size_t(y.memory.nbytes)))
    ok(runtime.cuGraphLaunch(launched, None))
    near(to, 4 * other.values @ b.values, terms=8)
    assert (y.get() == 0).all()
    for call in (dnn.cudnnBackendPopulateCudaGraph, dnn.cudnnBackendUpdateCudaGraph):
        assert call(handle, plan, pack, None) == call(handle, plan, pack, c.c_void_p(16)) == 2000
        assert call(handle, pack, pack, inner) == call(handle, plan, plan, inner) == 2000
        assert call(None, plan, pack, inner) == 2000


def text_of(made, name):
    count = c.c_int64()
    ok(dnn.cudnnBackendGetAttribute(made, name, CHAR, c.c_int64(0), c.byref(count), None))
    text = c.create_string_buffer(count.value)
    ok(dnn.cudnnBackendGetAttribute(made, name, CHAR, c.c_int64(count.value), c.byref(count), text))
    return text.raw


def from_text(kind, name, text):
    made = new(kind)
    ok(dnn.cudnnBackendSetAttribute(made, name, CHAR, c.c_int64(len(text)), text))
    return made, dnn.cudnnBackendFinalize(made)


def test_plans_as_text():
    a, b, y = Tensor(normal(2, 5, 8)), Tensor(normal(2, 8, 7)), Tensor(dims=(2, 5, 7))
    product, factor = virtual(2, 5, 7), Tensor(np.full((1, 1, 1), 3.0), by_value=True)
    plan, workspace = plan_of(pointwise(1, y, product, factor), matmul(a, b, product))
    text = text_of(plan, 405)
    json.loads(text)
    ok(dnn.cudnnBackendDestroyDescriptor(plan))
    plan, status = from_text("plan", 405, text)
    ok(status)
    ok(dnn.cudnnBackendExecute(handle, plan, pack_of([a, b, y, factor], workspace)))
    near(y, 3 * a.values @ b.values, terms=8)
    assert text_of(plan, 405) == text
    device = descriptor("device", (2700, 23, 0))
    kept, status = from_text("device", 2702, text_of(device, 2702))
    ok(status)
    # What is no such text, is cut off, is one of something else, or refers to what comes later.
    wrong = [b"x", b"[" * 100000, text[:-1], text[:100], text.replace(b"[1,", b"[2,", 1), text_of(device, 2702),
             text.replace(b"[17,", b"[99,"), b"[1,[]]", b"[1,[[5,[[401,15,[0]]]]]]", b"[1,[[5,[[401,15,[]]]]]]",
             text + b"]", b"[1,[[5,[]]]]", b"[1,[[5,[[400,0,[1,2,3,4,5,6,7,8]]]]]]", b"[1,[[5,[[402,3,[1,2]]]]]]"]
    # Configurations that hold each the one before as an engine, without end.
    chain = ["[17,[[901,1,[0,0,0,0]],[902,3,[1,0,0,0,0,0,0,0]],[903,3,[1,0,0,0,0,0,0,0]]]]"]
    chain += [f"[3,[[300,15,[{i}]]]]" for i in range(200000)]
    wrong.append(f"[1,[{','.join(chain)},[5,[[401,15,[200000]]]]]]".encode())
    for other in wrong:
        assert from_text("plan", 405, other)[1] != 0, other[:80]


def test_engines_say_what_they_can():
    a, b, y = Tensor(normal(2, 5, 8)), Tensor(normal(2, 8, 7)), Tensor(dims=(2, 5, 7))
    engine = descriptor("engine", (1300, DESCRIPTOR, graph_of(matmul(a, b, y))), (1301, INT64, 0))
    count, notes = c.c_int64(), (c.c_int * 5)(*[9] * 5)
    ok(dnn.cudnnBackendGetAttribute(engine, 1305, 19, c.c_int64(5), c.byref(count), notes))
    # Its work can be put into a graph of the driver's.
    assert (count.value, list(notes)) == (1, [3, 9, 9, 9, 9])
    knobs = (c.c_void_p * 2)(new("knob"), new("knob"))
    ok(dnn.cudnnBackendGetAttribute(engine, 1302, DESCRIPTOR, c.c_int64(2), c.byref(count), knobs))
    assert count.value == 0


def test_statuses():
    made = new("tensor")
    for wanted, status in [
        (0, put(made, 901, DATA_TYPE, 0)),
        (2010, put(made, 901, INT64, 0)),
        (2000, put(made, 901, DATA_TYPE, 0, 0)),
        (0, put(made, 902, INT64, 2, 3, 4)),
        (2000, put(made, 902, INT64)),
        (2000, put(made, 100, DATA_TYPE, 0)),
        (2000, dnn.cudnnBackendSetAttribute(made, 902, INT64, c.c_int64(3), None)),
        (1001, dnn.cudnnBackendGetAttribute(made, 902, INT64, c.c_int64(8), None, None)),
        (2002, dnn.cudnnBackendDestroyDescriptor(None)),
    ]:
        assert status == wanted, (status, wanted)
    assert dnn.cudnnBackendFinalize(made) == 2000
    ok(put(made, 903, INT64, 12, 4, 1))
    ok(put(made, 906, INT64, 1))
    ok(dnn.cudnnBackendFinalize(made))
    count, dims = c.c_int64(), (c.c_int64 * 8)()
    ok(dnn.cudnnBackendGetAttribute(made, 902, INT64, c.c_int64(8), c.byref(count), dims))
    assert (count.value, list(dims)[:3]) == (3, [2, 3, 4])
    assert put(made, 906, INT64, 2) == 2000
    ok(dnn.cudnnBackendDestroyDescriptor(made))
    assert dnn.cudnnBackendDestroyDescriptor(made) == 2000


def test_what_is_multiplied_by_zero_is_not_looked_at():
    """As cudnn_convolution_relu of PyTorch does, whose output is new memory: an H200 gives no NaN either."""
    x, y = Tensor(random.standard_normal((2, 3, 4))), Tensor(np.full((2, 3, 4), np.nan))
    add = descriptor("pointwise", (0, 14, 0), (1, DATA_TYPE, FLOAT))
    operation = descriptor(
        "op_pointwise", (750, DESCRIPTOR, add), (751, DESCRIPTOR, x.descriptor), (752, DESCRIPTOR, y.descriptor),
        (753, DESCRIPTOR, y.descriptor), (754, FLOAT32, 2.0), (755, FLOAT32, 0.0),
    )
    run([operation], [x, y])
    near(y, 2 * x.values)


for name, test in list(globals().items()):
    if re.match("test_", name):
        test()
        print(name)
