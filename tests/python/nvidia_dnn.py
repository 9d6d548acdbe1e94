"""NVIDIA's cuDNN against NumPy: convolutions with their gradients, pooling, softmax, activations and sums of tensors."""

import ctypes as c

import numpy as np
from dense_arrays import FEW, Array, ok
from nvidia_packages import call, load

dnn = load("cudnn")
random = np.random.default_rng(7)
handle = c.c_void_p()
FLOAT, HALF, NCHW = 0, 2, 0
CROSS_CORRELATION = 1
ONE, ZERO = np.array(1, np.float32), np.array(0, np.float32)
ALGORITHM = 1
WORKSPACE = Array(np.zeros(32 << 20, np.uint8))


def run(name, *arguments):
    ok(call(dnn, f"cudnn{name}", handle, *arguments), name)


class Descriptor:
    def __init__(self, kind, set, *arguments):
        self.kind, self.address = kind, c.c_void_p()
        ok(call(dnn, f"cudnnCreate{kind}Descriptor", c.byref(self.address)), kind)
        ok(call(dnn, f"cudnnSet{set}Descriptor", self, *arguments), set)

    def __del__(self):
        ok(call(dnn, f"cudnnDestroy{self.kind}Descriptor", self), self.kind)


class Tensor:
    """Numbers in the order of C, with a descriptor."""

    def __init__(self, values, type=FLOAT, filter=False):
        dtype = np.float16 if type == HALF else np.float32
        self.shape, self.array = values.shape, Array(values.astype(dtype).ravel())
        self.address, self.wide = self.array.address, values.astype(dtype).astype(np.float64)
        if filter:
            self.descriptor = Descriptor("Filter", "Filter4d", type, NCHW, *values.shape)
        else:
            self.descriptor = Descriptor("Tensor", "Tensor4d", NCHW, type, *values.shape)

    def get(self):
        return self.array.get().reshape(self.shape).astype(np.float64)


def tensor(*shape, **how):
    return Tensor(random.standard_normal(shape), **how)


def close(tensor, wanted, type, *what):
    error = np.abs(tensor.get() - wanted).max() / max(1, np.abs(wanted).max())
    assert error <= {FLOAT: 2e-6, HALF: 2e-3}[type], (error, *what)


def windows(x, height, width, pad):
    """All windows of a tensor: [n, c, y, x, height, width]."""
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    return np.lib.stride_tricks.sliding_window_view(padded, (height, width), (2, 3))


def check_convolutions(type):
    x, w = tensor(2, 5, 14, 11, type=type), tensor(7, 5, 3, 3, type=type, filter=True)
    y = Tensor(np.zeros((2, 7, 14, 11)), type)
    convolution = Descriptor("Convolution", "Convolution2d", 1, 1, 1, 1, 1, 1, CROSS_CORRELATION, FLOAT)
    size = c.c_size_t(WORKSPACE.like.nbytes)
    how = (convolution, ALGORITHM, WORKSPACE, size, ZERO)
    run("ConvolutionForward", ONE, x.descriptor, x, w.descriptor, w, *how, y.descriptor, y)
    close(y, np.einsum("ncyxhw,kchw->nkyx", windows(x.wide, 3, 3, 1), w.wide), type, "convolution")
    if type == HALF:
        return
    dy = tensor(2, 7, 14, 11)
    dw, dx = Tensor(np.zeros(w.shape), filter=True), Tensor(np.zeros(x.shape))
    run("ConvolutionBackwardFilter", ONE, x.descriptor, x, dy.descriptor, dy, *how, dw.descriptor, dw)
    close(dw, np.einsum("ncyxhw,nkyx->kchw", windows(x.wide, 3, 3, 1), dy.wide), type, "gradient of filters")
    run("ConvolutionBackwardData", ONE, w.descriptor, w, dy.descriptor, dy, *how, dx.descriptor, dx)
    wanted = np.einsum("nkyxhw,kchw->ncyx", windows(dy.wide, 3, 3, 1), w.wide[:, :, ::-1, ::-1])
    close(dx, wanted, type, "gradient of data")


def check_layers():
    x, y = tensor(2, 5, 12, 8), Tensor(np.zeros((2, 5, 12, 8)))
    pooled = Tensor(np.zeros((2, 5, 6, 4)))
    for mode, of in {0: np.max, 1: np.mean}.items():
        pooling = Descriptor("Pooling", "Pooling2d", mode, 0, 2, 2, 0, 0, 2, 2)
        run("PoolingForward", pooling, ONE, x.descriptor, x, ZERO, pooled.descriptor, pooled)
        close(pooled, of(x.wide.reshape(2, 5, 6, 2, 4, 2), (3, 5)), FLOAT, "pooling", mode)
    functions = {0: lambda v: 1 / (1 + np.exp(-v)), 1: lambda v: np.maximum(v, 0), 2: np.tanh}
    for mode, function in functions.items():
        activation = Descriptor("Activation", "Activation", mode, 0, c.c_double(0))
        run("ActivationForward", activation, ONE, x.descriptor, x, ZERO, y.descriptor, y)
        close(y, function(x.wide), FLOAT, "activation", mode)
    run("SoftmaxForward", 1, 1, ONE, x.descriptor, x, ZERO, y.descriptor, y)
    powers = np.exp(x.wide)
    close(y, powers / powers.sum(1, keepdims=True), FLOAT, "softmax")
    bias, sums = tensor(1, 5, 1, 1), Tensor(x.wide)
    run("AddTensor", ONE, bias.descriptor, bias, ONE, sums.descriptor, sums)
    close(sums, x.wide + bias.wide, FLOAT, "sum")
    scale, shift = tensor(1, 5, 1, 1), tensor(1, 5, 1, 1)
    kept = [Tensor(np.zeros((1, 5, 1, 1))) for _ in range(4)]
    arguments = (1, ONE, ZERO, x.descriptor, x, y.descriptor, y, scale.descriptor, scale, shift, c.c_double(1))
    run("BatchNormalizationForwardTraining", *arguments, kept[0], kept[1], c.c_double(1e-5), kept[2], kept[3])
    mean, variance = x.wide.mean((0, 2, 3), keepdims=True), x.wide.var((0, 2, 3), keepdims=True)
    wanted = (x.wide - mean) / np.sqrt(variance + 1e-5) * scale.wide + shift.wide
    close(y, wanted, FLOAT, "batch normalisation")
    close(kept[0], mean, FLOAT, "mean")


ok(dnn.cudnnCreate(c.byref(handle)))
check_convolutions(FLOAT)
if not FEW:
    check_convolutions(HALF)
    check_layers()
ok(dnn.cudnnDestroy(handle))
print("PASS nvidia_dnn")
