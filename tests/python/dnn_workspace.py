"""The workspace of our cuDNN's graphs: how large it is, that results are right where tensors share places in it, and that
nothing is written beyond it."""

import ctypes as c
import re

import numpy as np
from dnn_arrays import dnn, handle, normal, ok, random, runtime
from dnn_backend import (
    BOOLEAN, DATA_TYPE, DESCRIPTOR, FLOAT, INT64, Tensor, descriptor, near, new, number, pack_of, pointwise, put, sized_plan_of,
    virtual,
)

ADD, MIN, MAX, SUB, NEGATE, IDENTITY = 0, 2, 3, 9, 16, 21
BINARY = {ADD: np.add, MIN: np.minimum, MAX: np.maximum, SUB: np.subtract}
BEHIND = 1 << 20
NOT_SUPPORTED_SHAPE = 3002


def run_guarded(operations, tensors):
    """Runs a graph, and returns the size of its workspace. What lies in it before is no number, nor what lies behind it."""
    plan, size = sized_plan_of(*operations)
    workspace, all_of_it = c.c_void_p(), np.full(size + BEHIND, 0xFF, np.uint8)
    memory, bytes_ = all_of_it.ctypes.data_as(c.c_void_p), c.c_size_t(all_of_it.nbytes)
    ok(runtime.cuMemAlloc_v2(c.byref(workspace), bytes_))
    ok(runtime.cuMemcpyHtoD_v2(workspace, memory, bytes_))
    ok(dnn.cudnnBackendExecute(handle, plan, pack_of(tensors, workspace)))
    ok(runtime.cuCtxSynchronize())
    ok(runtime.cuMemcpyDtoH_v2(memory, workspace, bytes_))
    ok(runtime.cuMemFree_v2(workspace))
    assert (all_of_it[size:] == 0xFF).all(), "written behind the workspace"
    return size


def integers(*dims):
    """Small integers, sums of which are exact."""
    return random.integers(-9, 10, dims)


def test_a_chain_has_room_for_two():
    dims = (4, 32, 33)
    each = 4 * np.prod(dims)
    x, y = Tensor(integers(*dims)), Tensor(dims=dims)
    between = [virtual(*dims) for _ in range(20)]
    chain = [x, *between, y]
    size = run_guarded([pointwise(ADD, b, a, x) for a, b in zip(chain, chain[1:])], [x, y])
    assert (y.get() == 22 * x.values).all()
    assert 2 * each <= size <= 2 * each + 2 * 256, (size, each)


def test_what_is_read_late_stays():
    """The first tensor of a chain is read by its last operation."""
    dims = (4, 32, 33)
    each = 4 * np.prod(dims)
    x, y, one = Tensor(integers(*dims)), Tensor(dims=dims), Tensor(np.ones((1, 1, 1)), by_value=True)
    between = [virtual(*dims) for _ in range(20)]
    operations = [pointwise(NEGATE, between[0], x)]
    operations += [pointwise(ADD, b, a, one) for a, b in zip(between, between[1:])]
    operations += [pointwise(SUB, y, between[-1], between[0])]
    size = run_guarded(operations, [x, y, one])
    assert (y.get() == 19).all()
    assert 3 * each <= size <= 3 * each + 4 * 256, (size, each)


def test_graphs_by_chance():
    """Tensors of several sizes that are read any number of times, by operations that are not in the order of their work."""
    shapes = [(1, 1, 1), (1, 7, 1), (3, 1, 40), (3, 7, 1), (3, 7, 40)]
    repeats = lambda a, b: all(m in (1, n) for m, n in zip(a, b))
    for _ in range(60):
        known = [Tensor(integers(*dims), by_value=dims == (1, 1, 1)) for dims in shapes]
        values = {tensor.uid: tensor.values for tensor in known}
        given, results, operations = list(known), [], []
        for _ in range(25):
            dims = tuple(shapes[random.integers(len(shapes))])
            fit = [tensor for tensor in known if repeats(tensor.dims, dims)]
            # What was made last is read most.
            a, b = (fit[max(random.integers(len(fit)), random.integers(len(fit)))] for _ in range(2))
            is_result = random.random() < 0.2
            to = Tensor(dims=dims) if is_result else virtual(*dims)
            mode = list(BINARY)[random.integers(len(BINARY))]
            operations.append(pointwise(mode, to, a, b))
            values[to.uid] = np.broadcast_to(BINARY[mode](values[a.uid], values[b.uid]), dims)
            known.append(to)
            results += [to] if is_result else []
        # All that is left over goes into results too.
        for tensor in known[-5:]:
            copy = Tensor(dims=tensor.dims)
            operations.append(pointwise(IDENTITY, copy, tensor))
            values[copy.uid] = values[tensor.uid]
            results.append(copy)
        random.shuffle(operations)
        run_guarded(operations, given + results)
        for tensor in results:
            assert (tensor.get() == values[tensor.uid]).all()


def test_attentions_have_scores_of_their_own():
    """Two of them in one graph, of which the first has more scores than the second."""
    operations, tensors, wanted = [], [], []
    for batch, queries, keys in ((2, 60, 70), (1, 5, 6)):
        width = 8
        q, o = Tensor(normal(batch, 2, queries, width)), Tensor(dims=(batch, 2, queries, width))
        k, v = Tensor(normal(batch, 2, keys, width)), Tensor(normal(batch, 2, keys, width))
        scale, after = number(0.3), Tensor(np.full((1, 1, 1, 1), 2.0))
        # A scale of the result makes use of room for sums.
        ports = [(2800, q), (2801, k), (2802, v), (2803, o), (2805, scale), (2827, after)]
        operations.append(descriptor("sdpa", *((n, DESCRIPTOR, t.descriptor) for n, t in ports)))
        tensors += [tensor for _, tensor in ports]
        e = np.exp(0.3 * q.values @ k.values.swapaxes(2, 3))
        wanted.append((o, 2 * (e / e.sum(3, keepdims=True) @ v.values)))
    size = run_guarded(operations, tensors)
    for o, values in wanted:
        near(o, values, terms=16)
    # They do not run at the same time.
    assert size <= 4 * 2 * 2 * 60 * (70 + 8) + 8 * 256, size


def test_steps_backwards_mean_nothing_between_operations():
    dims = (4, 32, 33)
    x, y = Tensor(integers(*dims)), Tensor(dims=dims)
    between = Tensor(dims=dims, strides=[-32 * 33, -33, -1], virtual=True)
    size = run_guarded([pointwise(NEGATE, between, x), pointwise(NEGATE, y, between)], [x, y])
    assert (y.get() == x.values).all() and size >= 4 * np.prod(dims)


def test_tensors_that_fit_no_memory_are_refused():
    for dims, strides in [
        ((1 << 40, 1 << 40, 1), (0, 1, 1)), ((1 << 62, 4, 1), (4, 1, 1)), ((1, 1, 1 << 46), (1, 1, 1)),
        ((2, 2, 2), (-(1 << 63), (1 << 63) - 1, 1)),
    ]:
        tensor = new("tensor")
        for attribute in [
            (901, DATA_TYPE, FLOAT), (902, INT64, *dims), (903, INT64, *strides), (906, INT64, 1), (907, BOOLEAN, True),
        ]:
            ok(put(tensor, *attribute))
        assert dnn.cudnnBackendFinalize(tensor) == NOT_SUPPORTED_SHAPE, dims


for name, test in list(globals().items()):
    if re.match("test_", name):
        test()
        print(name)
