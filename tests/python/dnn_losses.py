"""Our cuDNN's loss of sequences of labels (CTC): against all paths that make them, counted one by one, and against the answers
of an H100 with cuDNN 9.19."""

import ctypes as c
import itertools

import numpy as np
from dnn_arrays import (
    BAD_PARAM, DOUBLE, FLOAT, HALF, NOT_SUPPORTED, NUMPY, Tensor, array, assert_near, descriptor, dnn, handle, normal,
    ok,
)

PROBABILITIES, ACTIVATIONS = 0, 1
ZERO, SKIP = 0, 1


def loss_of(norm, beyond=SKIP):
    made = descriptor("CTCLoss")
    ok(dnn.cudnnSetCTCLossDescriptor_v9(made, FLOAT, norm, beyond, 8))
    return made


class Integers(Tensor):
    """Integers in the device's memory."""

    def __init__(self, values):
        super().__init__(np.array([values], float), 4)


NUMPY[4] = np.int32


def run(made, x, gradient, labels, lengths, steps, costs, on_device=False, algorithm=0):
    size = c.c_size_t(77)
    of_gradient = (gradient.descriptor, gradient.address) if gradient else (None, None)
    if on_device:
        ok(dnn.cudnnGetCTCLossWorkspaceSize_v8(
            handle, algorithm, made, x.descriptor, of_gradient[0], c.byref(size)
        ))
        numbers = [Integers(values) for values in (labels, lengths, steps)]
        return dnn.cudnnCTCLoss_v8(
            handle, algorithm, made, x.descriptor, x.address, *(values.address for values in numbers), costs.address,
            *of_gradient, size, None,
        )
    numbers = [array(values) for values in (labels, lengths, steps)]
    status = dnn.cudnnGetCTCLossWorkspaceSize(
        handle, x.descriptor, of_gradient[0], *numbers, algorithm, made, c.byref(size)
    )
    again = dnn.cudnnCTCLoss(
        handle, x.descriptor, x.address, *numbers, costs.address, *of_gradient, algorithm, made, None, size
    )
    assert status == again, (status, again)
    return again


def softmax(x):
    e = np.exp(x)
    return e / e.sum(-1, keepdims=True)


def meant(path):
    """The labels that a path makes."""
    return [label for label, _ in itertools.groupby(path) if label]


def test_against_all_paths():
    steps_of, lengths, count, classes = [5, 3, 5, 4, 2], [2, 1, 3, 0, 2], 5, 3
    sequences = [[1, 2], [2], [1, 1, 2], [], [2, 1]]
    for ty, layout, norm, on_device in itertools.product(
        [FLOAT, DOUBLE], ["NCHW", "gaps"], [PROBABILITIES, ACTIVATIONS], [False, True]
    ):
        what = (ty, layout, norm, on_device)
        values = normal(count, len(lengths), classes)
        x = Tensor(values if norm else softmax(values), ty, layout)
        gradient, costs = Tensor(np.full(x.dims, 9.0), ty), Tensor(np.zeros((1, len(lengths))), ty)
        labels = sum(sequences, [])
        made = loss_of(norm, ZERO if on_device else SKIP)
        ok(run(made, x, gradient, labels, lengths, steps_of, costs, on_device), *what)
        wanted, slopes = np.zeros(len(lengths)), np.full(x.dims, 0.0 if on_device else 9.0)
        for item, (steps, sequence) in enumerate(zip(steps_of, sequences)):
            paths = np.array([
                path for path in itertools.product(range(classes), repeat=steps) if meant(path) == sequence
            ])
            point = x.values[:steps, item].astype(complex)
            # One variant for each number, and one without a change.
            variants = np.tile(point, (point.size + 1, 1, 1))
            variants[1:] += (np.eye(point.size) * 1e-30j).reshape(-1, *point.shape)
            spoken = softmax(variants) if norm else variants
            cost = -np.log(spoken[:, np.arange(steps), paths].prod(2).sum(1))
            wanted[item] = cost[0].real
            slopes[:steps, item] = (cost[1:].imag / 1e-30).reshape(point.shape)
            if not norm:
                # As an H100 has it of labels that are not said at a step.
                slopes[:steps, item] = np.where(slopes[:steps, item] == 0, point.real, slopes[:steps, item])
        assert_near(costs.get()[0], wanted, ty, *what, terms=64)
        assert_near(gradient.get(), slopes, ty, *what, terms=64)
        # Costs alone.
        costs = Tensor(np.zeros((1, len(lengths))), ty)
        ok(run(made, x, None, labels, lengths, steps_of, costs, on_device), *what)
        assert_near(costs.get()[0], wanted, ty, *what, terms=64)


def test_answers_of_an_h100():
    x = np.array([
        0.35, 0.82, 0.33, -1.3, 0.91, 0.45, -0.54, 0.58, 0.36, 0.29, 0.03, 0.55, -0.74, -0.16, -0.48, 0.6, 0.04, -0.29,
        -0.78, -0.26, 0.01, -0.28, 1.29, 1.01,
    ]).reshape(4, 2, 3)
    of_probabilities = [
        -1.0912, -1.5556, 0.2738, -1.2894, -1.5995, 0.3626, -0.7907, -1.4999, -0.4622, -1.3545, -2.2223, 0.4227,
        -0.8775, -0.6931, -1.5172, -1.5279, -0.7948, 0.2072, -0.9001, 0.3443, -1.8087, 99, 99, 99,
    ]
    of_activations = [
        -0.0255, -0.2483, 0.2738, -0.0182, -0.3444, 0.3626, 0.0321, -0.2348, 0.2027, -0.1155, -0.3072, 0.4227, 0.03,
        0.1343, -0.1643, -0.2663, 0.0591, 0.2072, 0.0204, 0.3443, -0.3647, 99, 99, 99,
    ]
    for norm, wanted in [(PROBABILITIES, of_probabilities), (ACTIVATIONS, of_activations)]:
        made = descriptor("CTCLoss")
        ok(dnn.cudnnSetCTCLossDescriptorEx(made, FLOAT, norm, 0))
        at, costs = Tensor(x if norm else softmax(x)), Tensor(np.zeros((1, 2)))
        for algorithm in (0, 1):
            gradient = Tensor(np.full(x.shape, 99.0))
            ok(run(made, at, gradient, [1, 2, 1], [2, 1], [4, 3], costs, algorithm=algorithm))
            np.testing.assert_allclose(costs.get(), [[1.3869, 1.4811]], atol=6e-5)
            np.testing.assert_allclose(gradient.get().ravel(), wanted, atol=6e-5)
    # Two equal labels need a step between them: there is no cost, and no gradient is written.
    gradient = Tensor(np.full(x.shape, 99.0))
    ok(run(made, at, gradient, [1, 1, 1], [2, 1], [2, 3], costs))
    np.testing.assert_allclose(costs.get(), [[0, 1.4811]], atol=6e-5)
    assert (gradient.get()[:, 0] == 99).all()
    # The label that stands for none, among the others.
    ok(run(made, at, gradient, [1, 0, 1], [2, 1], [4, 3], costs))
    np.testing.assert_allclose(costs.get(), [[3.5971, 1.4811]], atol=6e-5)


def test_statuses():
    x, gradient, costs = Tensor(normal(4, 2, 3)), Tensor(normal(4, 2, 3)), Tensor(np.zeros((1, 2)))
    made = loss_of(ACTIVATIONS)

    def status(made=made, x=x, gradient=gradient, labels=(1, 2, 1), lengths=(2, 1), steps=(4, 3), algorithm=0):
        return run(made, x, gradient, labels, lengths, steps, costs, algorithm=algorithm)

    assert status() == 0
    assert status(algorithm=7) == NOT_SUPPORTED
    assert status(steps=(5, 3)) == status(steps=(-1, 3)) == BAD_PARAM
    assert status(labels=(1, 3, 1)) == status(labels=(1, -1, 1)) == status(lengths=(-1, 1)) == BAD_PARAM
    assert status(gradient=Tensor(normal(4, 2, 4))) == BAD_PARAM
    assert status(x=Tensor(normal(4, 2, 3, 1)), gradient=None) == BAD_PARAM
    assert status(x=Tensor(normal(4, 2, 3), HALF), gradient=None) == NOT_SUPPORTED
    assert status(made=descriptor("CTCLoss")) == BAD_PARAM
    assert dnn.cudnnCTCLoss_v8(
        handle, 0, made, x.descriptor, x.address, None, None, None, costs.address, None, None, c.c_size_t(0), None
    ) == BAD_PARAM
    for wanted, status in [
        (NOT_SUPPORTED, dnn.cudnnSetCTCLossDescriptor(made, HALF)), (0, dnn.cudnnSetCTCLossDescriptor(made, FLOAT)),
        (BAD_PARAM, dnn.cudnnSetCTCLossDescriptor(made, 77)), (BAD_PARAM, dnn.cudnnSetCTCLossDescriptor(None, FLOAT)),
        (BAD_PARAM, dnn.cudnnSetCTCLossDescriptorEx(made, FLOAT, 5, 0)),
        (BAD_PARAM, dnn.cudnnSetCTCLossDescriptor_v8(made, FLOAT, 1, 5, 8)),
        (BAD_PARAM, dnn.cudnnSetCTCLossDescriptor_v9(made, FLOAT, 1, 2, 8)),
        (0, dnn.cudnnSetCTCLossDescriptor_v9(made, FLOAT, 1, 0, 8)),
    ]:
        assert status == wanted, (status, wanted)
    found = [c.c_int(77) for _ in range(4)]
    ok(dnn.cudnnGetCTCLossDescriptor_v9(made, *(c.byref(place) for place in found)))
    assert [place.value for place in found] == [FLOAT, ACTIVATIONS, ZERO, 8]
    ok(dnn.cudnnGetCTCLossDescriptorEx(made, *(c.byref(place) for place in found[:3])))
    ok(dnn.cudnnDestroyCTCLossDescriptor(made))


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name)
