"""Our cuDNN's spatial transformers against NumPy in double precision, with gradients by steps into the imaginary direction,
and against the answers of an H100 with cuDNN 9.19."""

import ctypes as c
import itertools

import numpy as np
from dnn_arrays import (
    BAD_PARAM, BFLOAT16, DOUBLE, FLOAT, HALF, INT8, NOT_SUPPORTED, Tensor, array, assert_near, descriptor, dnn, factor,
    handle, normal, ok, random,
)

STEP = 1e-30j


def transformer(dims, ty=FLOAT):
    made = descriptor("SpatialTransformer")
    ok(dnn.cudnnSetSpatialTransformerNdDescriptor(made, 0, ty, len(dims), array(dims)))
    return made


def grid_of(theta, rows, columns):
    y, x = np.meshgrid(np.linspace(-1, 1, rows), np.linspace(-1, 1, columns), indexing="ij")
    return np.einsum("nij,hwj->nhwi", theta, np.stack([x, y, np.ones_like(x)], -1))


def at_places(grid, ty):
    """A grid's values in the format that its places are rounded to. PyTorch's kernels for CUDA, with which its tests compare cuDNN, round so."""
    return grid.values.astype(np.float64 if ty == DOUBLE else np.float32)


def sampled(x, grid):
    """What images have at the places of a grid; both may be complex."""
    rows, columns = x.shape[2:]
    padded = np.pad(x, [(0, 0), (0, 0), (2, 2), (2, 2)])
    right, down = ((grid[..., i] + 1) / 2 * (n - 1) for i, n in ((0, columns), (1, rows)))
    column, row = (np.floor(at.real).astype(int) for at in (right, down))
    right, down = (right - column)[:, None], (down - row)[:, None]
    item = np.arange(len(x))[:, None, None]

    def at(below, after):
        # Far outside there are zeros too.
        i, j = np.clip(row + below + 2, 0, rows + 3), np.clip(column + after + 2, 0, columns + 3)
        return np.moveaxis(padded[item, :, i, j], -1, 1)

    above = (1 - right) * at(0, 0) + right * at(0, 1)
    below = (1 - right) * at(1, 0) + right * at(1, 1)
    return (1 - down) * above + down * below


def test_grids():
    for ty, dims in itertools.product([FLOAT, DOUBLE, HALF], [(2, 3, 4, 5), (1, 1, 1, 3), (3, 2, 7, 1)]):
        made = transformer(dims, ty)
        theta, grid = Tensor(normal(dims[0], 2, 3), ty), Tensor(normal(dims[0], *dims[2:], 2), ty)
        ok(dnn.cudnnSpatialTfGridGeneratorForward(handle, made, theta.address, grid.address))
        assert_near(grid.get(), grid_of(theta.values, *dims[2:]), ty, dims, terms=3)
        dgrid, dtheta = Tensor(normal(*grid.dims), ty), Tensor(normal(*theta.dims), ty)
        ok(dnn.cudnnSpatialTfGridGeneratorBackward(handle, made, dgrid.address, dtheta.address))
        wanted = np.zeros(theta.dims)
        for place in np.ndindex(2, 3):
            unit = np.zeros((2, 3))
            unit[place] = 1
            wanted[:, *place] = (grid_of(np.tile(unit, (dims[0], 1, 1)), *dims[2:]) * dgrid.values).sum((1, 2, 3))
        assert_near(dtheta.get(), wanted, ty, dims, terms=dims[2] * dims[3])


def test_samples():
    for ty, layout, (size, rows, columns, channels) in itertools.product(
        [FLOAT, DOUBLE, HALF, BFLOAT16], ["NCHW", "NHWC", "gaps"], [((4, 5), 3, 6, 3), ((1, 3), 2, 2, 1), ((6, 7), 5, 4, 300)]
    ):
        what = (ty, layout, size)
        if channels == 300 and (ty, layout) != (FLOAT, "NHWC"):
            continue
        made = transformer((2, channels, rows, columns), ty)
        x, y = Tensor(normal(2, channels, *size), ty, layout), Tensor(normal(2, channels, rows, columns), ty, layout)
        places = random.uniform(-1.5, 1.5, (2, rows, columns, 2))
        places[0, 0, 0], places[0, 0, 1] = -1, 1e4
        grid = Tensor(places, ty)
        factors = factor(2.0, ty), factor(-0.5, ty)
        ok(dnn.cudnnSpatialTfSamplerForward(
            handle, made, factors[0], x.descriptor, x.address, grid.address, factors[1], y.descriptor, y.address
        ), *what)
        assert_near(y.get(), 2 * sampled(x.values, at_places(grid, ty)) - 0.5 * y.values, ty, *what, terms=4)
        dx, dy = Tensor(normal(*x.dims), ty, layout), Tensor(normal(*y.dims), ty, layout)
        dgrid = Tensor(normal(*grid.dims), ty)
        more = factor(3.0, ty), factor(0.25, ty)
        ok(dnn.cudnnSpatialTfSamplerBackward(
            handle, made, factors[0], x.descriptor, x.address, factors[1], dx.descriptor, dx.address, more[0],
            dy.descriptor, dy.address, grid.address, more[1], dgrid.address,
        ), *what)
        slopes = np.zeros(grid.dims)
        for i in range(2):
            moved = grid.values.astype(complex)
            moved[..., i] += STEP
            slopes[..., i] = (sampled(x.values, moved).imag / STEP.imag * dy.values).sum(1)
        scale = np.abs(slopes).max() + 1
        assert_near(dgrid.get(), 3 * slopes + 0.25 * dgrid.values, ty, "grid", *what, terms=channels, scale=3 * scale)
        wanted = np.zeros(x.dims)
        for row, column in np.ndindex(*size):
            unit = np.zeros((2, 1, *size))
            unit[:, :, row, column] = 1
            wanted[:, :, row, column] = (sampled(unit, at_places(grid, ty)) * dy.values).sum((2, 3))
        assert_near(dx.get(), 2 * wanted - 0.5 * dx.values, ty, "image", *what, terms=rows * columns)


def test_places_in_long_lines():
    for ty in FLOAT, DOUBLE:
        made = transformer((1, 1, 4, 4), ty)
        x, y = Tensor(normal(1, 1, 32769, 3), ty), Tensor(np.zeros((1, 1, 4, 4)), ty)
        grid = Tensor(random.uniform(0, 1, (1, 4, 4, 2)), ty)
        factors = factor(1.0, ty), factor(0.0, ty)
        ok(dnn.cudnnSpatialTfSamplerForward(
            handle, made, factors[0], x.descriptor, x.address, grid.address, factors[1], y.descriptor, y.address
        ))
        assert_near(y.get(), sampled(x.values, at_places(grid, ty)), ty, ty, terms=4)


def test_answers_of_an_h100():
    theta = Tensor(np.array([1, 0.5, 0.25, -0.3, 0.8, 0.1]).reshape(1, 2, 3))
    for dims, wanted, gradient in [
        ((1, 1, 2, 3), [-1.25, -0.4, -0.25, -0.7, 0.75, -1, -0.25, 1.2, 0.75, 0.9, 1.75, 0.6], [8, 18, 36, 8, 18, 42]),
        ((1, 1, 1, 1), [-1.25, -0.4], [-1, -1, 1, -2, -2, 2]),
        ((1, 1, 1, 3), [-1.25, -0.4, -0.25, -0.7, 0.75, -1], [4, -9, 9, 4, -12, 12]),
    ]:
        made, grid = transformer(dims), Tensor(np.zeros((1, *dims[2:], 2)))
        ok(dnn.cudnnSpatialTfGridGeneratorForward(handle, made, theta.address, grid.address))
        np.testing.assert_allclose(grid.get().ravel(), wanted, rtol=1e-6)
        dgrid, dtheta = Tensor(np.arange(1.0, len(wanted) + 1).reshape(grid.dims)), Tensor(np.zeros((1, 2, 3)))
        ok(dnn.cudnnSpatialTfGridGeneratorBackward(handle, made, dgrid.address, dtheta.address))
        np.testing.assert_allclose(dtheta.get().ravel(), gradient, rtol=1e-6)
    made = transformer((1, 1, 2, 2))
    x, y = Tensor(np.arange(1.0, 13).reshape(1, 1, 3, 4)), Tensor(np.full((1, 1, 2, 2), 9.0))
    grid = Tensor(np.array([-1, -1, 0.2, 0.3, 1.2, 0, -1.5, 0.9]).reshape(1, 2, 2, 2))
    factors = factor(2.0, FLOAT), factor(0.5, FLOAT)
    ok(dnn.cudnnSpatialTfSamplerForward(
        handle, made, factors[0], x.descriptor, x.address, grid.address, factors[1], y.descriptor, y.address
    ))
    np.testing.assert_allclose(y.get().ravel(), [6.5, 20.5, 15.7, 8.8], rtol=1e-6)
    dx, dy, dgrid = Tensor(np.full(x.dims, 9.0)), Tensor(np.arange(1.0, 5).reshape(y.dims)), Tensor(np.full(grid.dims, 9.0))
    ok(dnn.cudnnSpatialTfSamplerBackward(
        handle, made, factors[0], x.descriptor, x.address, factors[1], dx.descriptor, dx.address, factor(3.0, FLOAT),
        dy.descriptor, dy.address, grid.address, factor(0.25, FLOAT), dgrid.address,
    ))
    wanted = [6.5, 4.5, 4.5, 4.5, 4.7, 5.06, 6.74, 8.7, 6.3, 4.74, 5.46, 4.5]
    np.testing.assert_allclose(dx.get().ravel(), wanted, rtol=1e-6)
    wanted = [6.75, 14.25, 11.25, 26.25, -105.75, 27.45, 157.05, 14.25]
    np.testing.assert_allclose(dgrid.get().ravel(), wanted, rtol=1e-6)


def test_statuses():
    def set_to(sampler, ty, dims, made=descriptor("SpatialTransformer")):
        return dnn.cudnnSetSpatialTransformerNdDescriptor(made, sampler, ty, len(dims), array(dims))

    assert set_to(0, FLOAT, (1, 1, 2, 2, 2)) == set_to(0, HALF, (1, 1, 2, 2)) == 0
    assert set_to(1, FLOAT, (1, 1, 2, 2)) == set_to(0, 77, (1, 1, 2, 2)) == set_to(0, FLOAT, (1, 0, 2, 2)) == BAD_PARAM
    assert set_to(0, INT8, (1, 1, 2, 2)) == NOT_SUPPORTED
    assert dnn.cudnnSetSpatialTransformerNdDescriptor(None, 0, FLOAT, 4, array([1] * 4)) == BAD_PARAM
    x, y, grid = Tensor(normal(1, 1, 3, 4)), Tensor(normal(1, 1, 2, 2)), Tensor(normal(1, 2, 2, 2))
    one = factor(1.0, FLOAT)

    def forward(made=transformer((1, 1, 2, 2)), x=x, y=y, grid=grid.address, alpha=one):
        return dnn.cudnnSpatialTfSamplerForward(
            handle, made, alpha, x.descriptor, x.address, grid, one, y.descriptor, y.address
        )

    assert forward() == 0
    assert forward(grid=None) == forward(alpha=None) == BAD_PARAM
    assert forward(made=descriptor("SpatialTransformer")) == BAD_PARAM
    assert forward(y=Tensor(normal(1, 1, 2, 3))) == forward(x=Tensor(normal(1, 2, 3, 4))) == BAD_PARAM
    assert forward(x=Tensor(normal(1, 1, 3, 4), HALF)) == BAD_PARAM
    assert forward(made=transformer((1, 1, 2, 2, 2))) == NOT_SUPPORTED
    assert dnn.cudnnSpatialTfGridGeneratorForward(handle, transformer((1, 1, 2, 2)), None, grid.address) == BAD_PARAM


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name)
