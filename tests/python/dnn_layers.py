"""Our cuDNN against NumPy in double precision: the layers of the functions that take descriptors, in all directions, types
and layouts, and the statuses of wrong calls as NVIDIA's cuDNN 9.28 gives them."""

import ctypes as c
import itertools
import os

import numpy as np
from dnn_arrays import (
    BAD_PARAM, BFLOAT16, DOUBLE, FLOAT, HALF, INT8, NOT_SUPPORTED, NUMPY, Tensor, array, assert_near, descriptor, dnn,
    factor, handle, normal, ok, random, runtime,
)

FEW = os.environ.get("ZLUDA_DEVICE", "").startswith("emu")


def windows(x, window, pads, strides, dilations, fill=0.0):
    """`x` as `[n, c, outputs..., window...]`."""
    spatial = len(window)
    x = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in pads)], constant_values=fill)
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilations)]
    all_windows = np.lib.stride_tricks.sliding_window_view(x, reach, tuple(range(2, 2 + spatial)))
    cut = [slice(None)] * 2 + [slice(None, None, s) for s in strides] + [slice(None, None, d) for d in dilations]
    return all_windows[tuple(cut)]


def convolved(x, w, pads, strides, dilations, groups, flip):
    """A convolution by its definition."""
    spatial = w.ndim - 2
    if flip:
        w = np.flip(w, tuple(range(2, w.ndim)))
    seen = windows(x, w.shape[2:], pads, strides, dilations)
    out = []
    for g in range(groups):
        part = seen[:, g * w.shape[1] : (g + 1) * w.shape[1]]
        filters = w[g * (w.shape[0] // groups) : (g + 1) * (w.shape[0] // groups)]
        axes = [1, *range(2 + spatial, 2 + 2 * spatial)]
        product = np.tensordot(part, filters, (axes, list(range(1, w.ndim))))
        out.append(np.moveaxis(product, -1, 1))
    return np.concatenate(out, 1)


def convolution_descriptor(pads, strides, dilations, groups, flip, compute):
    made = descriptor("Convolution")
    mode = 0 if flip else 1
    ok(dnn.cudnnSetConvolutionNdDescriptor(made, len(pads), array(pads), array(strides), array(dilations), mode, compute))
    ok(dnn.cudnnSetConvolutionGroupCount(made, groups))
    return made


# Batch, channels, lengths; filters, window; pads, strides, dilations, groups.
CONVOLUTIONS = [
    ((2, 3, 9, 8), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((1, 4, 7, 7), (6, 2, 3, 2), (0, 2), (2, 3), (2, 1), 2),
    ((2, 6, 5, 6), (6, 1, 3, 3), (2, 1), (1, 2), (1, 2), 6),
    ((3, 5, 8, 8), (7, 5, 1, 1), (0, 0), (1, 1), (1, 1), 1),
    ((2, 2, 17), (3, 2, 5), (2,), (3,), (1,), 1),
    ((1, 2, 5, 6, 4), (4, 2, 2, 3, 2), (1, 0, 1), (2, 1, 1), (1, 2, 1), 1),
    ((2, 33, 20, 21), (65, 33, 3, 3), (1, 1), (1, 1), (1, 1), 1),
]


def test_convolutions():
    types = [(FLOAT, "NCHW"), (FLOAT, "NHWC"), (FLOAT, "gaps"), (DOUBLE, "NCHW"), (HALF, "NHWC"), (BFLOAT16, "NCHW")]
    for (x_dims, w_dims, pads, strides, dilations, groups), (ty, layout), flip in itertools.product(
        CONVOLUTIONS[: 3 if FEW else None], types, [False, True]
    ):
        what = (x_dims, w_dims, pads, strides, dilations, groups, ty, layout, flip)
        convolution = convolution_descriptor(pads, strides, dilations, groups, flip, DOUBLE if ty == DOUBLE else FLOAT)
        x, w = Tensor(normal(*x_dims), ty, layout), Tensor(normal(*w_dims), ty, layout, is_filter=True)
        of = (pads, strides, dilations, groups, flip)
        wanted = convolved(x.values, w.values, *of)
        dims = array([0] * len(x_dims))
        ok(dnn.cudnnGetConvolutionNdForwardOutputDim(convolution, x.descriptor, w.descriptor, len(dims), dims), *what)
        assert tuple(dims) == wanted.shape, (tuple(dims), wanted.shape, *what)
        terms = np.prod(w_dims[1:])
        y = Tensor(normal(*wanted.shape), ty, layout)
        size = c.c_size_t(77)
        ok(dnn.cudnnGetConvolutionForwardWorkspaceSize(
            handle, x.descriptor, w.descriptor, convolution, y.descriptor, 1, c.byref(size)
        ))
        assert size.value == 0
        alpha, beta = (1.0, 0.0) if flip else (0.75, -0.5)
        factors = factor(alpha, ty), factor(beta, ty)
        ok(dnn.cudnnConvolutionForward(
            handle, factors[0], x.descriptor, x.address, w.descriptor, w.address, convolution, 1, None,
            c.c_size_t(0), factors[1], y.descriptor, y.address,
        ), *what)
        assert_near(y.get(), alpha * wanted + beta * y.values, ty, "forward", *what, terms=terms)

        # The gradients are the products with the matrix of the convolution, transposed.
        dy, dx = Tensor(normal(*wanted.shape), ty, layout), Tensor(normal(*x_dims), ty, layout)
        filter_gradient = np.zeros(w_dims)
        taps = itertools.product(*(range(k) for k in w_dims[2:]))
        per = w_dims[0] // groups
        padded = np.zeros([*x_dims[:2], *(n + 2 * p for n, p in zip(x_dims[2:], pads))])
        inner = tuple([slice(None)] * 2 + [slice(p, p + n) for n, p in zip(x_dims[2:], pads)])
        padded_x = padded.copy()
        padded_x[inner] = x.values
        for tap in taps:
            at = tuple(
                slice(t * d, t * d + s * (n - 1) + 1, s)
                for t, d, s, n in zip(tap, dilations, strides, wanted.shape[2:])
            )
            place = tuple(k - 1 - t for t, k in zip(tap, w_dims[2:])) if flip else tap
            for g in range(groups):
                outs, ins = slice(g * per, (g + 1) * per), slice(g * w_dims[1], (g + 1) * w_dims[1])
                filters = w.values[(outs, slice(None), *place)]
                padded[(slice(None), ins, *at)] += np.einsum("nk...,kc->nc...", dy.values[:, outs], filters)
                axes = [0, *range(2, len(x_dims))]
                filter_gradient[(outs, slice(None), *place)] = np.tensordot(
                    dy.values[:, outs], padded_x[(slice(None), ins, *at)], (axes, axes)
                )
        gradient = padded[inner]
        ok(dnn.cudnnConvolutionBackwardData(
            handle, factors[0], w.descriptor, w.address, dy.descriptor, dy.address, convolution, 1, None,
            c.c_size_t(0), factors[1], dx.descriptor, dx.address,
        ), *what)
        assert_near(dx.get(), alpha * gradient + beta * dx.values, ty, "data", *what, terms=terms)
        dw = Tensor(normal(*w_dims), ty, layout, is_filter=True)
        ok(dnn.cudnnConvolutionBackwardFilter(
            handle, factors[0], x.descriptor, x.address, dy.descriptor, dy.address, convolution, 1, None,
            c.c_size_t(0), factors[1], dw.descriptor, dw.address,
        ), *what)
        terms = wanted[:, 0].size
        assert_near(dw.get(), alpha * filter_gradient + beta * dw.values, ty, "filter", *what, terms=terms)
        db = Tensor(normal(*(w_dims[0] if i == 1 else 1 for i in range(len(x_dims)))), ty)
        ok(dnn.cudnnConvolutionBackwardBias(
            handle, factors[0], dy.descriptor, dy.address, factors[1], db.descriptor, db.address
        ))
        sums = dy.values.sum(tuple(i for i in range(dy.values.ndim) if i != 1), keepdims=True)
        assert_near(db.get(), alpha * sums + beta * db.values, ty, "bias", *what, terms=terms)


def test_integers_and_epilogues():
    convolution = convolution_descriptor((1, 1), (1, 1), (1, 1), 1, False, 4)
    x = Tensor(random.integers(-128, 128, (2, 8, 6, 6)), INT8, "NHWC")
    w = Tensor(random.integers(-128, 128, (4, 8, 3, 3)), INT8, "NHWC", is_filter=True)
    wanted = convolved(x.values, w.values, (1, 1), (1, 1), (1, 1), 1, False)
    for ty, alpha in [(INT8, 1 / 1000), (FLOAT, 1.0)]:
        y = Tensor(np.zeros(wanted.shape), ty, "NHWC")
        ok(dnn.cudnnConvolutionForward(
            handle, factor(alpha, FLOAT), x.descriptor, x.address, w.descriptor, w.address, convolution, 0, None,
            c.c_size_t(0), factor(0.0, FLOAT), y.descriptor, y.address,
        ))
        assert_near(y.get(), np.float32(alpha) * wanted, ty, "integers", ty)
    activation = descriptor("Activation")
    ok(dnn.cudnnSetActivationDescriptor(activation, 1, 0, c.c_double(0)))
    convolution = convolution_descriptor((1, 1), (2, 2), (1, 1), 1, False, FLOAT)
    x, w = Tensor(normal(2, 3, 8, 8)), Tensor(normal(5, 3, 3, 3), is_filter=True)
    wanted = convolved(x.values, w.values, (1, 1), (2, 2), (1, 1), 1, False)
    z, bias, y = Tensor(normal(*wanted.shape)), Tensor(normal(1, 5, 1, 1)), Tensor(normal(*wanted.shape))
    ok(dnn.cudnnConvolutionBiasActivationForward(
        handle, factor(0.5, FLOAT), x.descriptor, x.address, w.descriptor, w.address, convolution, 1, None,
        c.c_size_t(0), factor(2.0, FLOAT), z.descriptor, z.address, bias.descriptor, bias.address, activation,
        y.descriptor, y.address,
    ))
    assert_near(y.get(), np.maximum(0.5 * wanted + 2 * z.values + bias.values, 0), FLOAT, "epilogue", terms=27)


# MIOpen computes layers of some types and layouts, and without factors.
TYPES_AND_FACTORS = [
    (FLOAT, "NCHW", 1.5, 0.25), (HALF, "NHWC", 1.5, 0.25), (DOUBLE, "gaps", 1.5, 0.25), (FLOAT, "NCHW", 1.0, 0.0),
    (HALF, "NCHW", 1.0, 0.0), (FLOAT, "NHWC", 1.0, 0.0),
]


def test_pooling():
    # The lengths, window, pads, strides.
    cases = [
        ((2, 3, 8, 9), (2, 2), (0, 0), (2, 2)),
        ((1, 2, 7, 7), (3, 3), (1, 1), (2, 1)),
        ((2, 2, 6, 5, 7), (2, 3, 2), (1, 1, 0), (1, 2, 3)),
    ]
    kinds = [(0, "max"), (1, "with padding"), (2, "without padding"), (3, "max")]
    for (dims, window, pads, strides), (mode, kind), (ty, layout, alpha, beta) in itertools.product(
        cases, kinds, TYPES_AND_FACTORS
    ):
        what = (dims, window, pads, strides, kind, ty, layout, alpha)
        pooling = descriptor("Pooling")
        ok(dnn.cudnnSetPoolingNdDescriptor(
            pooling, mode, 0, len(window), array(window), array(pads), array(strides)
        ))
        x = Tensor(normal(*dims), ty, layout)
        ones = [1] * len(window)
        seen = windows(x.values, window, pads, strides, ones, -np.inf if kind == "max" else 0.0)
        axes = tuple(range(2 + len(window), seen.ndim))
        there = windows(np.ones(dims), window, pads, strides, ones).sum(axes)
        divisor = np.prod(window) if kind == "with padding" else there
        wanted = seen.max(axes) if kind == "max" else seen.sum(axes) / divisor
        sizes = array([0] * len(dims))
        ok(dnn.cudnnGetPoolingNdForwardOutputDim(pooling, x.descriptor, len(dims), sizes))
        assert tuple(sizes) == wanted.shape, (tuple(sizes), *what)
        y = Tensor(normal(*wanted.shape), ty, layout)
        factors = factor(alpha, ty), factor(beta, ty)
        ok(dnn.cudnnPoolingForward(
            handle, pooling, factors[0], x.descriptor, x.address, factors[1], y.descriptor, y.address
        ))
        assert_near(y.get(), alpha * wanted + beta * y.values, ty, *what)
        dy, dx = Tensor(normal(*wanted.shape), ty, layout), Tensor(normal(*dims), ty, layout)
        gradient = np.zeros([n + 2 * p for n, p in zip((*dims[:2], *dims[2:]), (0, 0, *pads))])
        for at in np.ndindex(*wanted.shape):
            corner = [i * s for i, s in zip(at[2:], strides)]
            place = (at[0], at[1], *(slice(i, i + k) for i, k in zip(corner, window)))
            if kind == "max":
                best = np.unravel_index(seen[at].argmax(), window)
                gradient[(at[0], at[1], *(i + b for i, b in zip(corner, best)))] += dy.values[at]
            else:
                gradient[place] += dy.values[at] / (divisor if np.isscalar(divisor) else divisor[at])
        inner = (slice(None), slice(None), *(slice(p, p + n) for n, p in zip(dims[2:], pads)))
        ok(dnn.cudnnPoolingBackward(
            handle, pooling, factors[0], y.descriptor, y.address, dy.descriptor, dy.address, x.descriptor, x.address,
            factors[1], dx.descriptor, dx.address,
        ))
        assert_near(dx.get(), alpha * gradient[inner] + beta * dx.values, ty, "backward", *what)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# By mode: the function and its derivative, with a coefficient of 0.75 and Swish's beta of 1.25.
# Functions and their derivatives, at x or, for those that cuDNN derives by their value, at y.
ACTIVATIONS = {
    0: (sigmoid, lambda y: y * (1 - y)),
    1: (lambda x: np.maximum(x, 0), lambda x: (x > 0) * 1.0),
    2: (np.tanh, lambda y: 1 - y**2),
    3: (lambda x: np.clip(x, 0, 0.75), lambda x: (x > 0) & (x <= 0.75)),
    4: (lambda x: np.where(x > 0, x, 0.75 * np.expm1(x)), lambda y: np.where(y > 0, 1, y + 0.75)),
    6: (
        lambda x: x * sigmoid(1.25 * x),
        lambda x: sigmoid(1.25 * x) * (1 + 1.25 * x * (1 - sigmoid(1.25 * x))),
    ),
}


def test_activations():
    for (mode, (forward, derivative)), (ty, layout, alpha, beta) in itertools.product(
        ACTIVATIONS.items(), [*TYPES_AND_FACTORS, (BFLOAT16, "NCHW", 1.5, 0.25)]
    ):
        activation = descriptor("Activation")
        ok(dnn.cudnnSetActivationDescriptor(activation, mode, 0, c.c_double(0.75)))
        ok(dnn.cudnnSetActivationDescriptorSwishBeta(activation, c.c_double(1.25)))
        x, dy = Tensor(normal(3, 5, 4, 7), ty, layout), Tensor(normal(3, 5, 4, 7), ty, layout)
        # The gradient lies otherwise, where factors are asked for besides.
        other = layout if beta == 0 else "NCHW"
        y, dx = Tensor(normal(3, 5, 4, 7), ty, layout), Tensor(normal(3, 5, 4, 7), ty, other)
        factors = factor(alpha, ty), factor(beta, ty)
        ok(dnn.cudnnActivationForward(
            handle, activation, factors[0], x.descriptor, x.address, factors[1], y.descriptor, y.address
        ))
        assert_near(y.get(), alpha * forward(x.values) + beta * y.values, ty, mode, layout, alpha)
        by_value = mode in (0, 2, 4)
        y = Tensor(forward(x.values), ty, layout)
        # The other of the two is not looked at.
        places = (y.address, None) if by_value else (None, x.address)
        ok(dnn.cudnnActivationBackward(
            handle, activation, factors[0], y.descriptor, places[0], dy.descriptor, dy.address, x.descriptor,
            places[1], factors[1], dx.descriptor, dx.address,
        ))
        slope = derivative(y.values if by_value else x.values)
        assert_near(dx.get(), alpha * slope * dy.values + beta * dx.values, ty, "backward", mode, layout, alpha)


def test_what_is_no_number():
    """The answers of an H100 with cuDNN 9.19."""
    inf, nan = np.inf, np.nan
    x, y = Tensor(np.array([nan, inf, -inf, 0]).reshape(1, 1, 2, 2)), Tensor(np.zeros((1, 1, 2, 2)))
    one, zero = factor(1.0, FLOAT), factor(0.0, FLOAT)
    for mode, propagates, wanted in [
        (0, 0, [nan, 1, 0, 0.5]), (1, 0, [0, inf, 0, 0]), (1, 1, [nan, inf, 0, 0]), (2, 0, [nan, 1, -1, 0]),
        (3, 0, [0, 0.75, 0, 0]), (3, 1, [nan, 0.75, 0, 0]), (4, 0, [nan, inf, -0.75, 0]),
    ]:  # fmt: skip
        activation = descriptor("Activation")
        ok(dnn.cudnnSetActivationDescriptor(activation, mode, propagates, c.c_double(0.75)))
        rest = x.descriptor, x.address, zero, y.descriptor, y.address
        ok(dnn.cudnnActivationForward(handle, activation, one, *rest))
        np.testing.assert_array_equal(y.get().ravel(), wanted, str((mode, propagates)))
    ok(dnn.cudnnSetActivationDescriptor(activation, 5, 0, c.c_double(0)))
    assert dnn.cudnnActivationForward(handle, activation, one, *rest) == BAD_PARAM
    x = Tensor(np.array([1, nan, 3, 3, 0, 2, nan, 1, 5, 5, 5, 5, -1, -1, -2, -3]).reshape(1, 1, 4, 4))
    for mode, (propagates, wanted) in itertools.product([0, 3], [(0, [2, 3, 5, 5]), (1, [nan, nan, 5, 5])]):
        pooling = descriptor("Pooling")
        window = array([2, 2])
        ok(dnn.cudnnSetPoolingNdDescriptor(pooling, mode, propagates, 2, window, array([0, 0]), window))
        ok(dnn.cudnnPoolingForward(handle, pooling, one, x.descriptor, x.address, zero, y.descriptor, y.address))
        np.testing.assert_array_equal(y.get().ravel(), wanted, str((mode, propagates)))


def test_softmax():
    for algorithm, mode, (ty, layout) in itertools.product(
        range(3), range(2), [(FLOAT, "NCHW"), (HALF, "NHWC"), (DOUBLE, "gaps"), (FLOAT, "NHWC")]
    ):
        axes = (1,) if mode else (1, 2, 3)
        x, y = Tensor(normal(2, 5, 3, 4), ty, layout), Tensor(normal(2, 5, 3, 4), ty, layout)
        e = np.exp(x.values)
        wanted = e / e.sum(axes, keepdims=True)
        wanted = np.log(wanted) if algorithm == 2 else wanted
        factors = factor(1.0, ty), factor(0.5, ty)
        ok(dnn.cudnnSoftmaxForward(
            handle, algorithm, mode, factors[0], x.descriptor, x.address, factors[1], y.descriptor, y.address
        ))
        assert_near(y.get(), wanted + 0.5 * y.values, ty, algorithm, mode, layout)
        y, dy, dx = Tensor(wanted, ty, layout), Tensor(normal(2, 5, 3, 4), ty, layout), Tensor(e, ty, layout)
        ok(dnn.cudnnSoftmaxBackward(
            handle, algorithm, mode, factors[0], y.descriptor, y.address, dy.descriptor, dy.address, factors[1],
            dx.descriptor, dx.address,
        ))
        if algorithm == 2:
            gradient = dy.values - np.exp(y.values) * dy.values.sum(axes, keepdims=True)
        else:
            gradient = y.values * (dy.values - (y.values * dy.values).sum(axes, keepdims=True))
        assert_near(dx.get(), gradient + 0.5 * dx.values, ty, "backward", algorithm, mode, layout)


def test_batch_norm():
    types = [(FLOAT, "NCHW"), (HALF, "NHWC"), (DOUBLE, "gaps")]
    for mode, (ty, layout), dims, (alpha, beta) in itertools.product(
        range(3), types, [(4, 3, 5, 6), (3, 2, 2, 3, 4)], [(1.5, -0.5), (1.0, 0.0)]
    ):
        what = (mode, ty, layout, dims, alpha)
        axes = (0,) if mode == 0 else (0, *range(2, len(dims)))
        kept = [1 if i in axes else n for i, n in enumerate(dims)]
        inner = DOUBLE if ty == DOUBLE else FLOAT
        x, y = Tensor(normal(*dims) + 2, ty, layout), Tensor(normal(*dims), ty, layout)
        scale, bias = Tensor(normal(*kept), inner), Tensor(normal(*kept), inner)
        mean, variance = Tensor(normal(*kept), inner), Tensor(random.uniform(1, 2, kept), inner)
        epsilon = 1e-4
        derived = descriptor("Tensor")
        ok(dnn.cudnnDeriveBNTensorDescriptor(derived, x.descriptor, mode))
        place, count, sizes = c.c_int(), c.c_int(), array([0] * 8)
        ok(dnn.cudnnGetTensorNdDescriptor(derived, 8, c.byref(place), c.byref(count), sizes, array([0] * 8)))
        assert (place.value, list(sizes)[: count.value]) == (inner, kept), what
        factors = factor(alpha, ty), factor(beta, ty)
        ok(dnn.cudnnBatchNormalizationForwardInference(
            handle, mode, *factors, x.descriptor, x.address, y.descriptor, y.address, derived, scale.address,
            bias.address, mean.address, variance.address, c.c_double(epsilon),
        ))
        normalised = (x.values - mean.values) / np.sqrt(variance.values + epsilon)
        wanted = alpha * (normalised * scale.values + bias.values) + beta * y.values
        assert_near(y.get(), wanted, ty, "inference", *what)

        y = Tensor(normal(*dims), ty, layout)
        saved_mean, saved_inverse = Tensor(normal(*kept), inner), Tensor(normal(*kept), inner)
        ok(dnn.cudnnBatchNormalizationForwardTraining(
            handle, mode, *factors, x.descriptor, x.address, y.descriptor, y.address, derived, scale.address,
            bias.address, c.c_double(0.25), mean.address, variance.address, c.c_double(epsilon), saved_mean.address,
            saved_inverse.address,
        ))
        batch, spread = x.values.mean(axes, keepdims=True), x.values.var(axes, keepdims=True)
        inverse = 1 / np.sqrt(spread + epsilon)
        normalised = (x.values - batch) * inverse
        wanted = alpha * (normalised * scale.values + bias.values) + beta * y.values
        assert_near(y.get(), wanted, ty, "training", *what)
        count = x.values.size // np.prod(kept)
        assert_near(mean.get(), 0.75 * mean.values + 0.25 * batch, inner, "mean", *what)
        unbiased = spread * count / (count - 1)
        assert_near(variance.get(), 0.75 * variance.values + 0.25 * unbiased, inner, "variance", *what)
        assert_near(saved_mean.get(), batch, inner, *what)
        assert_near(saved_inverse.get(), inverse, inner, *what)

        # With what was saved, and without.
        for saved in [(saved_mean.address, saved_inverse.address), (None, None)]:
            dy, dx = Tensor(normal(*dims), ty, layout), Tensor(normal(*dims), ty, layout)
            dscale, dbias = Tensor(normal(*kept), inner), Tensor(normal(*kept), inner)
            ok(dnn.cudnnBatchNormalizationBackward(
                handle, mode, *factors, *factors, x.descriptor, x.address, dy.descriptor, dy.address, dx.descriptor,
                dx.address, derived, scale.address, dscale.address, dbias.address, c.c_double(epsilon), *saved,
            ))
            wanted_bias = dy.values.sum(axes, keepdims=True)
            wanted_scale = (dy.values * normalised).sum(axes, keepdims=True)
            gradient = scale.values * inverse * (
                dy.values - wanted_bias / count - normalised * wanted_scale / count
            )
            # The mean was rounded when it was saved.
            size = np.abs(gradient).max() * max(1, inverse.max()) * 4
            assert_near(dx.get(), alpha * gradient + beta * dx.values, ty, "backward", *what, terms=count, scale=size)
            size = np.abs(wanted_scale).max() * max(1, inverse.max()) * 4
            wanted_scale = alpha * wanted_scale + beta * dscale.values
            assert_near(dscale.get(), wanted_scale, inner, "scale", *what, terms=count, scale=size)
            assert_near(dbias.get(), alpha * wanted_bias + beta * dbias.values, inner, "bias", *what, terms=count)

    # With an addition and a ReLU.
    dims, kept = (4, 3, 5, 6), (1, 3, 1, 1)
    x, z, y = Tensor(normal(*dims), layout="NHWC"), Tensor(normal(*dims), layout="NHWC"), Tensor(normal(*dims))
    scale, bias = Tensor(normal(*kept)), Tensor(normal(*kept))
    mean, inverse = Tensor(normal(*kept)), Tensor(normal(*kept))
    activation = descriptor("Activation")
    ok(dnn.cudnnSetActivationDescriptor(activation, 1, 0, c.c_double(0)))
    ok(dnn.cudnnBatchNormalizationForwardTrainingEx(
        handle, 1, 2, factor(1.0, FLOAT), factor(0.0, FLOAT), x.descriptor, x.address, z.descriptor, z.address,
        y.descriptor, y.address, scale.descriptor, scale.address, bias.address, c.c_double(1), None, None,
        c.c_double(1e-5), mean.address, inverse.address, activation, None, c.c_size_t(0), None, c.c_size_t(0),
    ))
    axes = (0, 2, 3)
    normalised = (x.values - x.values.mean(axes, keepdims=True)) / np.sqrt(x.values.var(axes, keepdims=True) + 1e-5)
    wanted = np.maximum(normalised * scale.values + bias.values + z.values, 0)
    assert_near(y.get(), wanted, FLOAT, "with ReLU")
    dy, dz, dx = Tensor(normal(*dims)), Tensor(normal(*dims)), Tensor(normal(*dims))
    dscale, dbias = Tensor(normal(*kept)), Tensor(normal(*kept))
    ok(dnn.cudnnBatchNormalizationBackwardEx(
        handle, 1, 2, *[factor(1.0, FLOAT), factor(0.0, FLOAT)] * 2, x.descriptor, x.address, y.descriptor, y.address,
        dy.descriptor, dy.address, dz.descriptor, dz.address, dx.descriptor, dx.address, scale.descriptor,
        scale.address, bias.address, dscale.address, dbias.address, c.c_double(1e-5), mean.address, inverse.address,
        activation, None, c.c_size_t(0), None, c.c_size_t(0),
    ))
    gradient = dy.values * (wanted > 0)
    assert_near(dz.get(), gradient, FLOAT)
    assert_near(dbias.get(), gradient.sum(axes, keepdims=True), FLOAT, terms=120)
    wanted_scale = (gradient * normalised).sum(axes, keepdims=True)
    assert_near(dscale.get(), wanted_scale, FLOAT, terms=120)
    gradient = gradient - gradient.mean(axes, keepdims=True) - normalised * wanted_scale / 120
    gradient *= scale.values / np.sqrt(x.values.var(axes, keepdims=True) + 1e-5)
    assert_near(dx.get(), gradient, FLOAT, terms=120)


def test_arithmetic():
    a, b, target = Tensor(normal(2, 3, 4, 5)), Tensor(normal(1, 3, 1, 1)), Tensor(normal(2, 3, 4, 5), layout="NHWC")
    factors = factor(2.0, FLOAT), factor(-0.5, FLOAT)
    ok(dnn.cudnnAddTensor(
        handle, factors[0], b.descriptor, b.address, factors[1], target.descriptor, target.address
    ))
    assert_near(target.get(), 2 * b.values - 0.5 * target.values, FLOAT, "add")
    target = Tensor(normal(2, 3, 4, 5), HALF, "NHWC")
    ok(dnn.cudnnTransformTensor(
        handle, factor(1.0, FLOAT), a.descriptor, a.address, factor(0.0, FLOAT), target.descriptor, target.address
    ))
    assert_near(target.get(), a.values, HALF, "transform")
    target = Tensor(normal(2, 3, 4, 5), layout="gaps")
    ok(dnn.cudnnScaleTensor(handle, target.descriptor, target.address, factor(3.0, FLOAT)))
    assert_near(target.get(), 3 * target.values, FLOAT, "scale")
    ok(dnn.cudnnSetTensor(handle, target.descriptor, target.address, factor(1.25, FLOAT)))
    assert (target.get() == 1.25).all()
    operations = [np.add, np.multiply, np.minimum, np.maximum, lambda a, _: np.sqrt(a), lambda a, _: 1 - a]
    for number, wanted in enumerate(operations):
        x, target = Tensor(np.abs(a.values)), Tensor(normal(2, 3, 4, 5), layout="NHWC")
        operation = descriptor("OpTensor")
        ok(dnn.cudnnSetOpTensorDescriptor(operation, number, FLOAT, 0))
        ok(dnn.cudnnOpTensor(
            handle, operation, factors[0], x.descriptor, x.address, factor(1.5, FLOAT), b.descriptor, b.address,
            factors[1], target.descriptor, target.address,
        ))
        assert_near(target.get(), wanted(2 * x.values, 1.5 * b.values) - 0.5 * target.values, FLOAT, "op", number)


def test_reductions():
    def over(f):
        return lambda x: f(x, (1, 3), keepdims=True)

    reductions = [
        over(np.sum), over(np.prod), over(np.min), over(np.max), lambda x: over(np.max)(np.abs(x)), over(np.mean),
        lambda x: over(np.sum)(np.abs(x)), lambda x: np.sqrt(over(np.sum)(x * x)),
        lambda x: over(np.prod)(np.where(x == 0, 1, x)),
    ]
    for (number, wanted), (ty, layout) in itertools.product(
        enumerate(reductions), [(FLOAT, "NCHW"), (HALF, "NHWC"), (DOUBLE, "gaps")]
    ):
        values = normal(3, 4, 5, 6)
        values[:, 1, 2] = 0 if number == 8 else values[:, 1, 2]
        x, y = Tensor(values, ty, layout), Tensor(normal(3, 1, 5, 1), ty, layout)
        reduction = descriptor("ReduceTensor")
        with_indices = number in (2, 3, 4)
        ok(dnn.cudnnSetReduceTensorDescriptor(reduction, number, FLOAT, 0, int(with_indices), 0))
        size = c.c_size_t()
        ok(dnn.cudnnGetReductionIndicesSize(handle, reduction, x.descriptor, y.descriptor, c.byref(size)))
        assert size.value == (60 if with_indices else 0)
        places = Tensor(np.zeros((1, 15)))
        ok(dnn.cudnnReduceTensor(
            handle, reduction, places.address, size, None, c.c_size_t(0), factor(2.0, ty), x.descriptor, x.address,
            factor(-1.0, ty), y.descriptor, y.address,
        ))
        assert_near(y.get(), 2 * wanted(x.values) - y.values, ty, number, layout, terms=24)
        if with_indices:
            found = np.empty(15, np.uint32)
            ok(runtime.cuMemcpyDtoH_v2(found.ctypes.data_as(c.c_void_p), places.address, c.c_size_t(60)))
            lines = x.values.transpose(0, 2, 1, 3).reshape(15, 24)
            lines = {2: -lines, 3: lines, 4: np.abs(lines)}[number]
            assert (np.take_along_axis(lines, found[:, None].astype(int), 1)[:, 0] == lines.max(1)).all()


def test_local_response():
    for n, (ty, layout) in itertools.product([1, 4, 5], [(FLOAT, "NCHW"), (DOUBLE, "NHWC")]):
        response = descriptor("LRN")
        ok(dnn.cudnnSetLRNDescriptor(response, n, c.c_double(0.5), c.c_double(0.75), c.c_double(1.5)))
        x, y = Tensor(normal(2, 7, 3, 4), ty, layout), Tensor(normal(2, 7, 3, 4), ty, layout)
        before = (n - 1) // 2
        near_by = np.array([[i - before <= j <= i + n - 1 - before for j in range(7)] for i in range(7)]) * 1.0
        divisor = 1.5 + 0.5 / n * np.einsum("ij,njhw->nihw", near_by, x.values**2)
        factors = factor(2.0, ty), factor(0.5, ty)
        ok(dnn.cudnnLRNCrossChannelForward(
            handle, response, 0, factors[0], x.descriptor, x.address, factors[1], y.descriptor, y.address
        ))
        assert_near(y.get(), 2 * x.values * divisor**-0.75 + 0.5 * y.values, ty, n, layout, terms=8)
        dy, dx = Tensor(normal(2, 7, 3, 4), ty, layout), Tensor(normal(2, 7, 3, 4), ty, layout)
        ok(dnn.cudnnLRNCrossChannelBackward(
            handle, response, 0, factors[0], y.descriptor, y.address, dy.descriptor, dy.address, x.descriptor,
            x.address, factors[1], dx.descriptor, dx.address,
        ))
        shared = np.einsum("ij,nihw->njhw", near_by, dy.values * x.values * divisor**-1.75)
        gradient = dy.values * divisor**-0.75 - 2 * 0.75 * 0.5 / n * x.values * shared
        assert_near(dx.get(), 2 * gradient + 0.5 * dx.values, ty, "backward", n, layout, terms=8)


def steps_of(cell, x, h, c, weights, biases):
    """A layer in one direction: the states after each step."""
    out = []
    for vector in x:
        a = [w @ vector + b for w, b in zip(weights[: len(weights) // 2], biases[: len(weights) // 2])]
        s = [w @ h + b for w, b in zip(weights[len(weights) // 2 :], biases[len(weights) // 2 :])]
        if cell == 0:
            h = np.maximum(a[0] + s[0], 0)
        elif cell == 1:
            h = np.tanh(a[0] + s[0])
        elif cell == 2:
            c = sigmoid(a[1] + s[1]) * c + sigmoid(a[0] + s[0]) * np.tanh(a[2] + s[2])
            h = sigmoid(a[3] + s[3]) * np.tanh(c)
        else:
            update = sigmoid(a[1] + s[1])
            h = (1 - update) * np.tanh(a[2] + sigmoid(a[0] + s[0]) * s[2]) + update * h
        out.append(h)
    return out, h, c


def test_recurrent_networks():
    steps, batch, inputs, hidden, layers = 5, 3, 4, 6, 2
    lengths = [5, 4, 2]
    gates = [1, 1, 4, 3]
    for cell, directions, layout, (ty, bias) in itertools.product(
        range(4), [1, 2], range(3), [(FLOAT, 2), (DOUBLE, 0), (HALF, 1), (FLOAT, 3)]
    ):
        what = (cell, directions, layout, ty, bias)
        network = descriptor("RNN")
        ok(dnn.cudnnSetRNNDescriptor_v8(
            network, 0, cell, bias, directions - 1, 0, ty, DOUBLE if ty == DOUBLE else FLOAT, 0, inputs, hidden, hidden,
            layers, None, 1,
        ))
        size = c.c_size_t()
        ok(dnn.cudnnGetRNNWeightSpaceSize(handle, network, c.byref(size)))
        count = size.value // np.dtype(NUMPY[ty]).itemsize
        space = Tensor(normal(1, count) * 0.5, ty)
        weights = {}
        for pseudo, number in itertools.product(range(layers * directions), range(2 * gates[cell])):
            found = []
            places = [(descriptor("Tensor"), c.c_void_p()) for _ in range(2)]
            ok(dnn.cudnnGetRNNWeightParams(
                handle, network, pseudo, size, space.address, number, places[0][0], c.byref(places[0][1]),
                places[1][0], c.byref(places[1][1]),
            ))
            for tensor, place in places:
                kind, rank, dims = c.c_int(), c.c_int(), array([0] * 3)
                ok(dnn.cudnnGetTensorNdDescriptor(tensor, 3, c.byref(kind), c.byref(rank), dims, array([0] * 3)))
                if place.value is None:
                    found.append(np.zeros(hidden))
                    continue
                first = (place.value - space.address.value) // np.dtype(NUMPY[ty]).itemsize
                values = space.values[0, first : first + np.prod(dims)]
                found.append(values.reshape(dims[1], dims[2]) if dims[2] > 1 else values)
            weights[pseudo, number] = found
        used = sum(w.size + (b.size if (b != 0).any() else 0) for w, b in weights.values())
        assert used == count, (used, count, *what)

        def data(width):
            made, fill = descriptor("RNNData"), c.c_double(0)
            ok(dnn.cudnnSetRNNDataDescriptor(
                made, ty, layout, steps, batch, width, array(lengths), c.byref(fill)
            ))
            return made

        def place(step, item):
            if layout == 1:
                return sum(sum(s < n for n in lengths) for s in range(step)) + item
            return item * steps + step if layout == 2 else step * batch + item

        vectors = sum(lengths) if layout == 1 else steps * batch
        x, y = Tensor(normal(vectors, inputs), ty), Tensor(normal(vectors, hidden * directions), ty)
        dims = (layers * directions, batch, hidden)
        hx, cx, hy, cy = (Tensor(normal(*dims), ty) for _ in range(4))
        sizes = c.c_size_t(), c.c_size_t()
        x_data, y_data = data(inputs), data(hidden * directions)
        ok(dnn.cudnnGetRNNTempSpaceSizes(handle, network, 0, x_data, c.byref(sizes[0]), c.byref(sizes[1])))
        ok(dnn.cudnnRNNForward(
            handle, network, 0, None, x_data, x.address, y_data, y.address, hx.descriptor, hx.address, hy.address,
            cx.descriptor, cx.address, cy.address, size, space.address, sizes[0], None, sizes[1], None,
        ), *what)
        wanted = np.zeros((vectors, hidden * directions))
        last_h, last_c = np.zeros(dims), np.zeros(dims)
        for item, length in enumerate(lengths):
            sequence = [x.values[place(step, item)] for step in range(length)]
            for layer in range(layers):
                both = []
                for direction in range(directions):
                    pseudo = layer * directions + direction
                    all_of = [weights[pseudo, number] for number in range(2 * gates[cell])]
                    out, last_h[pseudo, item], last_c[pseudo, item] = steps_of(
                        cell, sequence[:: -1 if direction else 1], hx.values[pseudo, item], cx.values[pseudo, item],
                        [w for w, _ in all_of], [b for _, b in all_of],
                    )
                    both.append(out[:: -1 if direction else 1])
                sequence = [np.concatenate(parts) for parts in zip(*both)]
            for step in range(length):
                wanted[place(step, item)] = sequence[step]
        assert_near(y.get(), wanted, ty, *what, terms=64)
        assert_near(hy.get(), last_h, ty, *what, terms=64)
        if cell == 2:
            assert_near(cy.get(), last_c, ty, *what, terms=64)


def test_statuses():
    """As NVIDIA's cuDNN 9.28 answers."""
    assert dnn.cudnnGetVersion() == 92801
    tensor, filters, convolution = descriptor("Tensor"), descriptor("Filter"), descriptor("Convolution")
    pooling, activation = descriptor("Pooling"), descriptor("Activation")
    ones, zero = array([1] * 9), c.c_double(0)
    for wanted, status in [
        (BAD_PARAM, dnn.cudnnCreateTensorDescriptor(None)),
        (BAD_PARAM, dnn.cudnnSetTensor4dDescriptor(None, 0, 0, 1, 1, 1, 1)),
        (BAD_PARAM, dnn.cudnnSetTensor4dDescriptor(tensor, 0, 0, 0, 1, 1, 1)),
        (BAD_PARAM, dnn.cudnnSetTensor4dDescriptor(tensor, 0, 0, -1, 1, 1, 1)),
        (BAD_PARAM, dnn.cudnnSetTensor4dDescriptor(tensor, 7, 0, 1, 1, 1, 1)),
        (BAD_PARAM, dnn.cudnnSetTensor4dDescriptor(tensor, 0, 77, 1, 1, 1, 1)),
        (NOT_SUPPORTED, dnn.cudnnSetTensor4dDescriptor(tensor, 0, 0, 100000, 100000, 4, 5)),
        (BAD_PARAM, dnn.cudnnSetTensorNdDescriptor(tensor, 0, 1, array([2]), array([1]))),
        (0, dnn.cudnnSetTensorNdDescriptor(tensor, 0, 2, array([2, 3]), array([3, 1]))),
        (NOT_SUPPORTED, dnn.cudnnSetTensorNdDescriptor(tensor, 0, 9, ones, ones)),
        (BAD_PARAM, dnn.cudnnSetTensorNdDescriptor(tensor, 0, 3, array([2, 3, 4]), array([12, 0, 1]))),
        (BAD_PARAM, dnn.cudnnSetTensorNdDescriptor(tensor, 0, 3, array([2, 0, 4]), array([12, 4, 1]))),
        (0, dnn.cudnnSetTensorNdDescriptor(tensor, 0, 3, array([2, 3, 4]), array([12, -4, 1]))),
        (BAD_PARAM, dnn.cudnnSetFilter4dDescriptor(filters, 0, 0, 2, 0, 4, 5)),
        (BAD_PARAM, dnn.cudnnSetFilterNdDescriptor(filters, 0, 0, 2, ones)),
        (0, dnn.cudnnSetFilterNdDescriptor(filters, 0, 0, 3, ones)),
        (BAD_PARAM, dnn.cudnnSetConvolution2dDescriptor(convolution, -1, 1, 1, 1, 1, 1, 1, 0)),
        (BAD_PARAM, dnn.cudnnSetConvolution2dDescriptor(convolution, 1, 1, 0, 1, 1, 1, 1, 0)),
        (BAD_PARAM, dnn.cudnnSetConvolution2dDescriptor(convolution, 1, 1, 1, 1, 0, 1, 1, 0)),
        (BAD_PARAM, dnn.cudnnSetConvolution2dDescriptor(convolution, 1, 1, 1, 1, 1, 1, 5, 0)),
        (BAD_PARAM, dnn.cudnnSetConvolution2dDescriptor(convolution, 1, 1, 1, 1, 1, 1, 1, 55)),
        (NOT_SUPPORTED, dnn.cudnnSetConvolutionNdDescriptor(convolution, 7, ones, ones, ones, 1, 0)),
        (0, dnn.cudnnSetConvolutionNdDescriptor(convolution, 6, ones, ones, ones, 1, 0)),
        (BAD_PARAM, dnn.cudnnSetConvolutionGroupCount(convolution, 0)),
        (BAD_PARAM, dnn.cudnnSetConvolutionMathType(convolution, 9)),
        (BAD_PARAM, dnn.cudnnSetPooling2dDescriptor(pooling, 0, 0, 0, 2, 0, 0, 2, 2)),
        (BAD_PARAM, dnn.cudnnSetPooling2dDescriptor(pooling, 0, 0, 2, 2, 0, 0, 0, 2)),
        (0, dnn.cudnnSetPooling2dDescriptor(pooling, 0, 0, 2, 2, -1, 0, 2, 2)),
        (BAD_PARAM, dnn.cudnnSetPooling2dDescriptor(pooling, 8, 0, 2, 2, 0, 0, 2, 2)),
        (BAD_PARAM, dnn.cudnnSetPooling2dDescriptor(pooling, 0, 8, 2, 2, 0, 0, 2, 2)),
        (BAD_PARAM, dnn.cudnnSetActivationDescriptor(activation, 11, 0, zero)),
        (BAD_PARAM, dnn.cudnnSetActivationDescriptor(activation, 1, 9, zero)),
        (0, dnn.cudnnDestroyTensorDescriptor(None)),
        (0, dnn.cudnnDestroy(None)),
        (BAD_PARAM, dnn.cudnnSetStream(None, None)),
    ]:
        assert status == wanted, (status, wanted)
    for status, name in [(0, b"SUCCESS"), (1001, b"NOT_INITIALIZED"), (2001, b"INVALID_VALUE"), (3000, b"NOT_SUPPORTED")]:
        assert dnn.cudnnGetErrorString(status) == b"CUDNN_STATUS_" + name
    assert dnn.cudnnGetErrorString(17) == b"CUDNN_UNKNOWN_STATUS"


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name)
