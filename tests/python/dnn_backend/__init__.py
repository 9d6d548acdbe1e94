"""Our cuDNN's graph API: descriptors, tensors and graphs as cudnn-frontend makes them."""

import ctypes as c
import math

import numpy as np
from dnn_arrays import dnn, handle, ok, runtime

# Kinds of descriptors and types of attributes.
KIND = dict(
    pointwise=0, convolution=1, engine=2, config=3, heuristics=4, plan=5, conv_forward=10, conv_filter=11, conv_data=12,
    op_pointwise=13, gen_stats=14, graph=15, pack=16, tensor=17, matmul=18, op_matmul=19, reduction=21, op_reduction=22,
    resample=24, op_resample=25, op_resample_bwd=26, concat=27, norm=29, norm_bwd=30, reshape=31, sdpa=41, mask=44,
    softmax=45, transpose=46, slice=47, rng=32, op_rng=33, bn_finalize=20, bn_gradients=23, knob=8, device=38,
)
HANDLE, DATA_TYPE, BOOLEAN, INT64, FLOAT32, FLOAT64, POINTER, DESCRIPTOR, FRACTION, CHAR = 0, 1, 2, 3, 4, 5, 6, 15, 26, 24
C_TYPES = {BOOLEAN: c.c_bool, INT64: c.c_int64, FLOAT32: c.c_float, FLOAT64: c.c_double, POINTER: c.c_void_p,
           HANDLE: c.c_void_p, DESCRIPTOR: c.c_void_p, FRACTION: c.c_int64}
FLOAT, DOUBLE, HALF, INT32, INT_64 = 0, 1, 2, 4, 10
NUMPY = {FLOAT: np.float32, DOUBLE: np.float64, HALF: np.float16, INT32: np.int32, INT_64: np.int64}
EPSILON = {FLOAT: 2e-6, DOUBLE: 1e-14, HALF: 2e-3}


def new(kind):
    made = c.c_void_p()
    ok(dnn.cudnnBackendCreateDescriptor(KIND[kind], c.byref(made)))
    return made


def put(made, name, ty, *values):
    if ty == FRACTION:
        values = [part for value in values for part in (value, 1)]
    elements = (C_TYPES.get(ty, c.c_int) * len(values))(*values)
    count = len(values) // 2 if ty == FRACTION else len(values)
    return dnn.cudnnBackendSetAttribute(made, name, ty, c.c_int64(count), elements)


def descriptor(kind, *attributes):
    made = new(kind)
    for attribute in attributes:
        ok(put(made, *attribute), kind, attribute)
    ok(dnn.cudnnBackendFinalize(made), kind)
    return made


class Tensor:
    count = 0

    def __init__(self, values=None, ty=FLOAT, dims=None, strides=None, virtual=False, by_value=False, offsets=None):
        """`offsets` says where the items of a ragged tensor begin, whose memory `values` are."""
        Tensor.count += 1
        self.uid, self.ty, self.address = Tensor.count, ty, None
        self.virtual, self.by_value = virtual, by_value
        if values is not None:
            self.memory = np.ascontiguousarray(values).astype(NUMPY[ty])
            self.values = self.memory.astype(float)
            dims = dims or self.memory.shape
        elif not virtual:
            self.memory = np.zeros(dims, NUMPY[ty])
        dims = list(dims)
        strides = strides or [math.prod(dims[i + 1 :]) for i in range(len(dims))]
        self.dims = dims
        self.descriptor = descriptor(
            "tensor", (901, DATA_TYPE, ty), (902, INT64, *dims), (903, INT64, *strides), (906, INT64, self.uid),
            (900, INT64, 16), (907, BOOLEAN, virtual), (908, BOOLEAN, by_value),
            *([(913, DESCRIPTOR, offsets.descriptor)] if offsets else []),
        )
        if by_value:
            self.address = c.c_void_p(self.memory.ctypes.data)
        elif not virtual:
            self.address = c.c_void_p()
            ok(runtime.cuMemAlloc_v2(c.byref(self.address), c.c_size_t(self.memory.nbytes)))
            host = self.memory.ctypes.data_as(c.c_void_p)
            ok(runtime.cuMemcpyHtoD_v2(self.address, host, c.c_size_t(self.memory.nbytes)))

    def get(self):
        ok(runtime.cuCtxSynchronize())
        memory = np.empty_like(self.memory)
        ok(runtime.cuMemcpyDtoH_v2(memory.ctypes.data_as(c.c_void_p), self.address, c.c_size_t(memory.nbytes)))
        return memory.astype(float)


def virtual(*dims):
    return Tensor(dims=dims, virtual=True)


def number(value):
    return Tensor(np.full((1, 1, 1, 1), value), by_value=True)


def graph_of(*operations):
    return descriptor("graph", (800, HANDLE, handle), (801, DESCRIPTOR, *operations))


def sized_plan_of(*operations):
    """A plan as cudnn-frontend makes it, of what the heuristics propose; and the size of its workspace."""
    heuristics = descriptor("heuristics", (201, DESCRIPTOR, graph_of(*operations)), (200, 8, 3))
    count, config = c.c_int64(), new("config")
    ok(dnn.cudnnBackendGetAttribute(heuristics, 202, DESCRIPTOR, c.c_int64(0), c.byref(count), None))
    assert count.value == 1
    results = (c.c_void_p * 1)(config)
    ok(dnn.cudnnBackendGetAttribute(heuristics, 202, DESCRIPTOR, c.c_int64(1), c.byref(count), results))
    plan = descriptor("plan", (400, HANDLE, handle), (401, DESCRIPTOR, config))
    size = c.c_int64()
    ok(dnn.cudnnBackendGetAttribute(plan, 402, INT64, c.c_int64(1), c.byref(count), c.byref(size)))
    return plan, size.value


def plan_of(*operations):
    """A plan, and a workspace for it."""
    plan, size = sized_plan_of(*operations)
    workspace = c.c_void_p()
    ok(runtime.cuMemAlloc_v2(c.byref(workspace), c.c_size_t(size + 16)))
    return plan, workspace


def pack_of(tensors, workspace, addresses=None):
    """Where tensors are; `addresses` has other places of some, by their numbers."""
    places = {tensor.uid: tensor.address for tensor in tensors if tensor.address} | (addresses or {})
    return descriptor(
        "pack", (1000, INT64, *places), (1001, POINTER, *places.values()), (1003, POINTER, workspace)
    )


def run(operations, tensors):
    """Runs a graph."""
    plan, workspace = plan_of(*operations)
    ok(dnn.cudnnBackendExecute(handle, plan, pack_of(tensors, workspace)))
    ok(runtime.cuCtxSynchronize())
    runtime.cuMemFree_v2(workspace)


def near(tensor, wanted, *what, terms=1):
    got = tensor.get()
    bound = EPSILON[tensor.ty] * np.sqrt(terms) * (np.abs(wanted).max() + np.abs(wanted))
    assert got.shape == wanted.shape, (got.shape, wanted.shape, *what)
    error = np.abs(got - wanted)
    assert (error <= bound).all(), (error.max(), bound.min(), *what)


def pointwise(mode, y, x, b=None, t=None, *parameters, backward=False):
    what = descriptor("pointwise", (0, 14, mode), (1, DATA_TYPE, FLOAT), *parameters)
    ports = [(751, x), (757, b), (756, y)] if backward else [(751, x), (752, b), (758, t), (753, y)]
    return descriptor(
        "op_pointwise", (750, DESCRIPTOR, what),
        *((name, DESCRIPTOR, tensor.descriptor) for name, tensor in ports if tensor),
    )


def matmul(a, b, y, rows=None, columns=None, depth=None):
    what = descriptor("matmul", (1500, DATA_TYPE, FLOAT))
    tensors = [(1520, a), (1521, b), (1522, y), (1525, rows), (1526, columns), (1527, depth)]
    tensors = [(name, tensor) for name, tensor in tensors if tensor]
    return descriptor("op_matmul", (1523, DESCRIPTOR, what), *((n, DESCRIPTOR, t.descriptor) for n, t in tensors))


def reduction(operator, x, y):
    what = descriptor("reduction", (1600, 18, operator), (1601, DATA_TYPE, FLOAT))
    names = [(1610, x), (1611, y)]
    return descriptor("op_reduction", (1612, DESCRIPTOR, what), *((n, DESCRIPTOR, t.descriptor) for n, t in names))
