"""Our cuDNN, with a handle, and tensors of it that have NumPy's values. The library is that of version 9, unless the variable
`DNN` names another one, be it NVIDIA's."""

import ctypes as c
import os

import numpy as np

runtime = c.CDLL("libcuda.so.1")
dnn = c.CDLL(os.environ.get("DNN", "libzluda_dnn.so"))
dnn.cudnnGetErrorString.restype = c.c_char_p
dnn.cudnnGetVersion.restype = c.c_size_t
random = np.random.default_rng(1)

FLOAT, DOUBLE, HALF, INT8, BFLOAT16 = 0, 1, 2, 3, 9
BAD_PARAM, NOT_SUPPORTED = (2000, 3000) if dnn.cudnnGetVersion() >= 90000 else (3, 9)
NUMPY = {FLOAT: np.float32, DOUBLE: np.float64, HALF: np.float16, INT8: np.int8, BFLOAT16: np.uint16}
EPSILON = {FLOAT: 2**-22, DOUBLE: 2**-50, HALF: 2**-10, BFLOAT16: 2**-7}


def ok(status, *what):
    assert status == 0, (status, dnn.cudnnGetErrorString(status), *what)


ok(runtime.cuInit(0))
context = c.c_void_p()
ok(runtime.cuDevicePrimaryCtxRetain(c.byref(context), 0))
ok(runtime.cuCtxSetCurrent(context))
handle = c.c_void_p()
ok(dnn.cudnnCreate(c.byref(handle)))


def to_type(values, ty):
    """Rounds to a type, as it lies in memory."""
    if ty == BFLOAT16:
        bits = np.asarray(values, np.float32).view(np.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return np.asarray(values).astype(NUMPY[ty])


def from_type(values, ty):
    if ty == BFLOAT16:
        return (values.astype(np.uint32) << 16).view(np.float32).astype(float)
    return values.astype(float)


def steps(dims, layout):
    """The steps of a packed tensor, channels last where the layout says so, or with gaps."""
    order = list(range(len(dims)))
    if layout == "NHWC":
        order = [0, *order[2:], 1]
    step, result = 1, [0] * len(dims)
    for i in reversed(order):
        result[i] = step
        step *= dims[i]
        if layout == "gaps":
            step += 3
    return result


def array(values, ty=c.c_int):
    return (ty * len(values))(*values)


class Tensor:
    """Device memory with a descriptor; `values` is what it holds, in double precision."""

    def __init__(self, values, ty=FLOAT, layout="NCHW", is_filter=False):
        self.ty, self.dims = ty, values.shape
        self.steps = steps(values.shape, "NCHW" if is_filter and layout == "gaps" else layout)
        self.count = sum((d - 1) * s for d, s in zip(self.dims, self.steps)) + 1
        self.descriptor, self.address = c.c_void_p(), c.c_void_p()
        dims = array(self.dims)
        if is_filter:
            ok(dnn.cudnnCreateFilterDescriptor(c.byref(self.descriptor)))
            order = 1 if layout == "NHWC" else 0
            ok(dnn.cudnnSetFilterNdDescriptor(self.descriptor, ty, order, len(dims), dims))
        else:
            ok(dnn.cudnnCreateTensorDescriptor(c.byref(self.descriptor)))
            ok(dnn.cudnnSetTensorNdDescriptor(self.descriptor, ty, len(dims), dims, array(self.steps)))
        memory = np.zeros(self.count, NUMPY[ty])
        self.view(memory)[...] = to_type(values, ty)
        self.memory = memory
        self.values = from_type(self.view(memory), ty)
        ok(runtime.cuMemAlloc_v2(c.byref(self.address), c.c_size_t(memory.nbytes)))
        ok(runtime.cuMemcpyHtoD_v2(self.address, memory.ctypes.data_as(c.c_void_p), c.c_size_t(memory.nbytes)))

    def view(self, memory):
        return np.lib.stride_tricks.as_strided(
            memory, self.dims, [step * memory.itemsize for step in self.steps]
        )

    def get(self):
        ok(runtime.cuCtxSynchronize())
        memory = np.empty_like(self.memory)
        ok(runtime.cuMemcpyDtoH_v2(memory.ctypes.data_as(c.c_void_p), self.address, c.c_size_t(memory.nbytes)))
        return from_type(self.view(memory), self.ty)

    def __del__(self):
        runtime.cuMemFree_v2(self.address)


def normal(*dims):
    return random.standard_normal(dims)


def factor(value, ty):
    return c.byref(c.c_double(value) if ty == DOUBLE else c.c_float(value))


def assert_near(got, wanted, ty, *what, terms=1, scale=None):
    """Within what rounding sums of that many terms may lose."""
    if ty == INT8:
        wanted = np.clip(np.round(wanted), -128, 127)
        assert (got == wanted).all(), (got, wanted, *what)
        return
    size = np.abs(wanted).max() if scale is None else scale
    bound = EPSILON[ty] * (size + np.abs(wanted)) + (2**-50 if ty == DOUBLE else 2**-22) * np.sqrt(terms) * size
    error = np.abs(got - wanted)
    assert (error <= bound).all(), (error.max(), bound.max(), *what)


def descriptor(kind):
    made = c.c_void_p()
    ok(getattr(dnn, f"cudnnCreate{kind}Descriptor")(c.byref(made)))
    return made
