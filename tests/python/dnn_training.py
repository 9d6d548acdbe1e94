"""Our cuDNN's training: dropout, and recurrent networks with their gradients, against NumPy in double precision. Gradients
are judged by derivatives of the network itself: by steps into the imaginary direction, which lose no digits."""

import ctypes as c
import itertools
import os

import numpy as np
from dnn_arrays import (
    BAD_PARAM, BFLOAT16, DOUBLE, FLOAT, HALF, NOT_SUPPORTED, NUMPY, Tensor, array, assert_near, descriptor, dnn, handle,
    normal, ok, runtime,
)

FEW = os.environ.get("ZLUDA_DEVICE", "").startswith("emu")
TRAINING, ADD, SET = 1, 0, 1
size_t = c.c_size_t


def memory(count, fill=0):
    """Device memory of bytes."""
    place = c.c_void_p()
    ok(runtime.cuMemAlloc_v2(c.byref(place), size_t(max(count, 1))))
    ok(runtime.cuMemsetD8_v2(place, c.c_ubyte(fill), size_t(max(count, 1))))
    return place


def dropout_of(probability, seed=7):
    """A descriptor whose sequence begins, with its states."""
    made, size = descriptor("Dropout"), size_t()
    ok(dnn.cudnnDropoutGetStatesSize(handle, c.byref(size)))
    states = memory(size.value)
    ok(dnn.cudnnSetDropoutDescriptor(made, handle, c.c_float(probability), states, size, c.c_ulonglong(seed)))
    return made, states, size


def dropped(dropout, x, y, kept, size):
    ok(dnn.cudnnDropoutForward(handle, dropout, x.descriptor, x.address, y.descriptor, y.address, kept, size))
    return y.get()


def test_dropout():
    for p, (ty, layout) in itertools.product(
        [0.0, 0.25, 0.5, 0.9, 1.0], [(FLOAT, "NCHW"), (HALF, "NHWC"), (DOUBLE, "gaps"), (BFLOAT16, "NCHW")]
    ):
        what = (p, ty, layout)
        made, states, states_size = dropout_of(p)
        # 9,702 elements: parts of the work end within a row, and the last byte is not full.
        x = Tensor(np.abs(normal(6, 7, 11, 21)) + 0.5, ty, layout)
        size = size_t()
        ok(dnn.cudnnDropoutGetReserveSpaceSize(x.descriptor, c.byref(size)))
        places = [memory(size.value, 0x55) for _ in range(2)]
        results = [dropped(made, x, Tensor(np.zeros(x.dims), ty, "NHWC"), kept, size) for kept in places]
        for got in results:
            stays = got != 0
            scale = 1 / (1 - float(np.float32(p))) if p < 1 else 0
            assert_near(got, np.where(stays, x.values * scale, 0), ty, *what)
            # Six deviations of a binomial distribution.
            count = x.values.size
            assert abs(stays.sum() - count * (1 - p)) <= 6 * np.sqrt(count * p * (1 - p)), (stays.mean(), *what)
        # What comes next is another choice, which has nothing to do with the first.
        both = ((results[0] != 0) & (results[1] != 0)).mean()
        assert abs(both - (1 - p) ** 2) < 0.05, (both, *what)
        # A gradient goes where its forward pass went, in whatever layout.
        for kept, got in zip(places, results):
            dy, dx = Tensor(np.ones(x.dims), ty, "gaps"), Tensor(np.full(x.dims, 9.0), ty, layout)
            ok(dnn.cudnnDropoutBackward(
                handle, made, dy.descriptor, dy.address, dx.descriptor, dx.address, kept, size
            ))
            assert ((dx.get() != 0) == (got != 0)).all(), what
            assert_near(dx.get(), (got != 0) * scale, ty, *what)
        # The same seed is the same sequence; another one is not.
        ok(dnn.cudnnSetDropoutDescriptor(made, handle, c.c_float(p), states, states_size, c.c_ulonglong(7)))
        again = dropped(made, x, Tensor(np.zeros(x.dims), ty), places[0], size)
        assert ((again != 0) == (results[0] != 0)).all(), what
        other, *_ = dropout_of(p, 8)
        if 0 < p < 1:
            another = dropped(other, x, Tensor(np.zeros(x.dims), ty), places[0], size)
            assert ((another != 0) != (results[0] != 0)).mean() > p * (1 - p), what
        # A descriptor of the same states goes on where the other one is.
        restored = descriptor("Dropout")
        ok(dnn.cudnnRestoreDropoutDescriptor(
            restored, handle, c.c_float(p), states, states_size, c.c_ulonglong(7)
        ))
        next_one = dropped(restored, x, Tensor(np.zeros(x.dims), ty), places[0], size)
        assert ((next_one != 0) == (results[1] != 0)).all(), what
        found = c.c_float(), c.c_void_p(), c.c_ulonglong()
        ok(dnn.cudnnGetDropoutDescriptor(restored, handle, *(c.byref(place) for place in found)))
        assert (found[0].value, found[1].value, found[2].value) == (np.float32(p), states.value, 7)
    # In place.
    made, *_ = dropout_of(0.5)
    x = Tensor(normal(3, 5, 7))
    got = dropped(made, x, x, memory(64), size_t(64))
    assert ((got == 0) | (got == 2 * x.values)).all() and 10 < (got == 0).sum() < 95


def test_dropout_in_graphs():
    """Nothing happens while calls are captured, and each launch of the graph draws what comes next."""
    x, size, kept = Tensor(np.abs(normal(4, 5, 6)) + 0.5), size_t(15), memory(15)
    made, *_ = dropout_of(0.5, 21)
    wanted = [dropped(made, x, Tensor(np.zeros(x.dims)), kept, size) for _ in range(3)]
    made, *_ = dropout_of(0.5, 21)
    stream, graph, launched = c.c_void_p(), c.c_void_p(), c.c_void_p()
    ok(runtime.cuStreamCreate(c.byref(stream), 1))
    ok(dnn.cudnnSetStream(handle, stream))
    ok(runtime.cuCtxSynchronize())
    y = Tensor(np.full(x.dims, 9.0))
    ok(runtime.cuStreamBeginCapture_v2(stream, 0))
    ok(dnn.cudnnDropoutForward(handle, made, x.descriptor, x.address, y.descriptor, y.address, kept, size))
    ok(runtime.cuStreamEndCapture(stream, c.byref(graph)))
    assert (y.get() == 9).all()
    ok(runtime.cuGraphInstantiateWithFlags(c.byref(launched), graph, c.c_ulonglong(0)))
    for result in wanted:
        ok(runtime.cuGraphLaunch(launched, stream))
        np.testing.assert_array_equal(y.get(), result)
    ok(dnn.cudnnSetStream(handle, None))


def test_statuses_of_dropout():
    """As an H100 with cuDNN 9.19 answers."""
    made, states, states_size = dropout_of(0.5)
    unset, x, y = descriptor("Dropout"), Tensor(normal(2, 3, 4, 5)), Tensor(normal(2, 3, 4, 5))
    kept, size = memory(64), size_t(64)

    def set_to(p, states=states, size=states_size, made=made):
        return dnn.cudnnSetDropoutDescriptor(made, handle, c.c_float(p), states, size, c.c_ulonglong(3))

    def both(dropout=made, x=x, place=x.address, y=y, to=y.address, kept=kept, size=size):
        arguments = handle, dropout, x.descriptor, place, y.descriptor, to, kept, size
        return {dnn.cudnnDropoutForward(*arguments), dnn.cudnnDropoutBackward(*arguments)}

    for p in [-0.5, 0, 1, 1.5, float("nan")]:
        assert set_to(p) == 0, p
        assert both() == {0}, p
    assert set_to(-1) == 0
    np.testing.assert_array_equal(dropped(made, x, y, kept, size), x.values / 2)
    short = size_t(states_size.value - 1)
    assert set_to(0.5, size=short) == BAD_PARAM
    assert dnn.cudnnSetDropoutDescriptor(made, None, c.c_float(0.5), states, states_size, c.c_ulonglong(3)) == BAD_PARAM
    assert dnn.cudnnRestoreDropoutDescriptor(
        made, handle, c.c_float(0.5), states, short, c.c_ulonglong(3)
    ) == BAD_PARAM
    assert set_to(0.5, made=None) == BAD_PARAM
    assert set_to(0.5) == 0
    assert both() == {0}
    assert both(dropout=unset) == both(place=None) == both(to=None) == both(kept=None) == {BAD_PARAM}
    assert both(size=size_t(14)) == {BAD_PARAM}
    assert both(y=Tensor(normal(2, 3, 4, 6))) == both(y=Tensor(normal(2, 3, 4, 5), HALF)) == {BAD_PARAM}
    # The same memory in another order.
    assert both(to=x.address, y=Tensor(normal(2, 3, 4, 5), layout="NHWC")) == {BAD_PARAM}
    # As cuDNN 8.9 and 9.28 answer: without states those that the descriptor has stay, and their sequence goes on.
    assert set_to(1, None, size_t(0)) == 0
    assert both() == {0} and (dropped(made, x, y, kept, size) == 0).all()
    again, _, _ = dropout_of(0.5, 21)
    wanted = [dropped(again, x, y, kept, size) for _ in range(2)]
    again, _, _ = dropout_of(0.5, 21)
    assert (dropped(again, x, y, kept, size) == wanted[0]).all()
    assert set_to(0.5, None, size_t(0), again) == 0
    assert (dropped(again, x, y, kept, size) == wanted[1]).all()
    assert set_to(0.5, None, size_t(0), unset) == 0
    assert both(dropout=unset) == {BAD_PARAM}
    for size_of_none, wanted, then in [(size_t(0), BAD_PARAM, 0), (states_size, 0, BAD_PARAM)]:
        assert dnn.cudnnRestoreDropoutDescriptor(
            made, handle, c.c_float(0.5), None, size_of_none, c.c_ulonglong(3)
        ) == wanted
        assert both() == {then}
    assert dnn.cudnnDropoutGetStatesSize(handle, None) == BAD_PARAM
    assert dnn.cudnnDropoutGetStatesSize(None, c.byref(size_t())) == BAD_PARAM
    assert dnn.cudnnDestroyDropoutDescriptor(made) == 0
    assert dnn.cudnnDestroyDropoutDescriptor(made) == BAD_PARAM


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


RELU, TANH, LSTM, GRU = range(4)
GATES = [1, 1, 4, 3]


class Network:
    """A recurrent network with its weights, as its functions describe them."""

    def __init__(self, cell, bias, directions, ty, inputs, hidden, layers, dropout=None, state=None, clip=None):
        self.cell, self.directions, self.ty, self.hidden, self.layers = cell, directions, ty, hidden, layers
        # The width of states, which a projection makes of what cells show; and the limits of cells' states.
        self.state, self.clip = state or hidden, clip
        self.descriptor, self.inputs, self.size = descriptor("RNN"), inputs, size_t()
        ok(dnn.cudnnSetRNNDescriptor_v8(
            self.descriptor, 0, cell, bias, directions - 1, 0, ty, DOUBLE if ty == DOUBLE else FLOAT, 0, inputs, hidden,
            self.state, layers, dropout, 1,
        ))
        if clip:
            ok(dnn.cudnnRNNSetClip_v9(self.descriptor, 1, *map(c.c_double, clip)))
        ok(dnn.cudnnGetRNNWeightSpaceSize(handle, self.descriptor, c.byref(self.size)))
        element = np.dtype(NUMPY[ty]).itemsize
        self.space = Tensor(normal(1, self.size.value // element) * 0.5, ty)
        # Of each layer and direction and of each product: where its matrix and its bias are, and their lengths.
        self.blocks = {}
        for pseudo, number in itertools.product(
            range(layers * directions), range(2 * GATES[cell] + (self.state != hidden))
        ):
            found = []
            places = [(descriptor("Tensor"), c.c_void_p()) for _ in range(2)]
            ok(dnn.cudnnGetRNNWeightParams(
                handle, self.descriptor, pseudo, self.size, self.space.address, number, places[0][0],
                c.byref(places[0][1]), places[1][0], c.byref(places[1][1]),
            ))
            for tensor, place in places:
                if place.value is None:
                    found.append(None)
                    continue
                kind, rank, dims = c.c_int(), c.c_int(), array([0] * 3)
                ok(dnn.cudnnGetTensorNdDescriptor(tensor, 3, c.byref(kind), c.byref(rank), dims, array([0] * 3)))
                found.append(((place.value - self.space.address.value) // element, dims[1], dims[2]))
            self.blocks[pseudo, number] = found

    def clipped(self, value):
        if self.clip is None:
            return value
        least, most = self.clip
        return np.where(value.real < least, least, np.where(value.real > most, most, value))

    def run(self, space, x, hx, cx):
        """The outputs and last states of one sequence. All arguments have a first dimension of variants."""

        def product(pseudo, number, vector):
            (first, rows, columns), bias = self.blocks[pseudo, number]
            matrix = space[:, first : first + rows * columns].reshape(-1, rows, columns)
            result = np.einsum("vij,vj->vi", matrix, vector)
            return result if bias is None else result + space[:, bias[0] : bias[0] + bias[1]]

        last_h, last_c = [], []
        for layer in range(self.layers):
            both = []
            for direction in range(self.directions):
                pseudo, gates = layer * self.directions + direction, GATES[self.cell]
                h, cell_state, out = hx[:, pseudo], cx[:, pseudo], []
                for vector in x[:: -1 if direction else 1]:
                    a = [product(pseudo, gate, vector) for gate in range(gates)]
                    s = [product(pseudo, gates + gate, h) for gate in range(gates)]
                    if self.cell == RELU:
                        h = np.where((a[0] + s[0]).real > 0, a[0] + s[0], 0)
                    elif self.cell == TANH:
                        h = np.tanh(a[0] + s[0])
                    elif self.cell == LSTM:
                        # States of cells are clipped where they are read, and are told as they are.
                        kept = sigmoid(a[1] + s[1]) * self.clipped(cell_state)
                        cell_state = kept + sigmoid(a[0] + s[0]) * np.tanh(a[2] + s[2])
                        h = sigmoid(a[3] + s[3]) * np.tanh(self.clipped(cell_state))
                        if self.state != self.hidden:
                            h = product(pseudo, 2 * gates, h)
                    else:
                        update = sigmoid(a[1] + s[1])
                        h = (1 - update) * np.tanh(a[2] + sigmoid(a[0] + s[0]) * s[2]) + update * h
                    out.append(h)
                both.append(out[:: -1 if direction else 1])
                last_h.append(h)
                last_c.append(cell_state)
            x = [np.concatenate(parts, 1) for parts in zip(*both)]
        return x, last_h, last_c


class Sequences:
    """A batch of sequences in one of the layouts; what has no step is filled with 7."""

    FILL = 7.0

    def __init__(self, layout, steps, lengths, width, ty):
        self.layout, self.steps, self.lengths, self.width, self.ty = layout, steps, lengths, width, ty
        self.count = sum(lengths) if layout == 1 else steps * len(lengths)
        self.descriptor = descriptor("RNNData")
        fill = {FLOAT: c.c_float, DOUBLE: c.c_double}.get(ty, c.c_float)(self.FILL)
        ok(dnn.cudnnSetRNNDataDescriptor(
            self.descriptor, ty, layout, steps, len(lengths), width, array(lengths),
            c.byref(fill) if ty in (FLOAT, DOUBLE) else None,
        ))

    def tensor(self, values=None):
        return Tensor(normal(self.count, self.width) if values is None else values, self.ty)

    def place(self, step, item):
        if self.layout == 1:
            return sum(sum(s < n for n in self.lengths) for s in range(step)) + item
        return item * self.steps + step if self.layout == 2 else step * len(self.lengths) + item

    def places(self, item):
        return [self.place(step, item) for step in range(self.lengths[item])]


class Trained:
    """A pass forward in training, with what it keeps."""

    def __init__(self, network, x_data, y_data, x, with_states=True):
        self.network, self.x_data, self.y_data, self.x = network, x_data, y_data, x
        batch, ty = len(x_data.lengths), network.ty
        pseudos = network.layers * network.directions
        dims, cell_dims = ((pseudos, batch, width) for width in (network.state, network.hidden))
        self.hx, self.cx = Tensor(normal(*dims) * with_states, ty), Tensor(normal(*cell_dims) * with_states, ty)
        self.hy, self.cy, self.y = Tensor(normal(*dims), ty), Tensor(normal(*cell_dims), ty), y_data.tensor()
        self.places = [self.hx.address, self.cx.address] if with_states else [None, None]
        sizes = size_t(), size_t()
        ok(dnn.cudnnGetRNNTempSpaceSizes(
            handle, network.descriptor, TRAINING, x_data.descriptor, c.byref(sizes[0]), c.byref(sizes[1])
        ))
        self.work = sizes[0], memory(sizes[0].value), sizes[1], memory(sizes[1].value, 0xFF)
        ok(self.forward())

    def forward(self, mode=TRAINING, **other):
        get = dict(vars(self), **other).get
        return dnn.cudnnRNNForward(
            handle, self.network.descriptor, mode, None, self.x_data.descriptor, get("x").address,
            get("y_data").descriptor, get("y").address, get("hx").descriptor, self.places[0], self.hy.address,
            self.cx.descriptor, self.places[1], self.cy.address, get("size", self.network.size),
            self.network.space.address, *get("work"),
        )

    def backward_data(self, dy, dx, dhy, dcy, dhx, dcx, **other):
        get = dict(vars(self), **other).get

        def address(tensor):
            return tensor.address if tensor else None

        return dnn.cudnnRNNBackwardData_v8(
            handle, self.network.descriptor, None, get("y_data").descriptor, self.y.address, address(dy),
            self.x_data.descriptor, address(dx), get("hx").descriptor, self.places[0], address(dhy), address(dhx),
            self.cx.descriptor, self.places[1], address(dcy), address(dcx), get("size", self.network.size),
            self.network.space.address, *get("work"),
        )

    def backward_weights(self, to, mode=ADD, **other):
        get = dict(vars(self), **other).get
        return dnn.cudnnRNNBackwardWeights_v8(
            handle, self.network.descriptor, mode, None, self.x_data.descriptor, self.x.address, get("hx").descriptor,
            self.places[0], get("y_data").descriptor, self.y.address, get("size", self.network.size), to,
            *get("work"),
        )


def derivatives(network, trained, dy, dhy, dcy):
    """The outputs, and the gradients of what the network reads: x, the first states and the weights."""
    lengths, directions = trained.x_data.lengths, network.directions
    pseudos = network.layers * directions
    y = np.full((trained.y_data.count, trained.y_data.width), Sequences.FILL)
    dx = np.full((trained.x_data.count, trained.x_data.width), Sequences.FILL)
    dhx, dcx, dspace = np.zeros(trained.hx.dims), np.zeros(trained.cx.dims), np.zeros(network.space.values.shape[1])
    hy, cy = np.zeros(trained.hx.dims), np.zeros(trained.cx.dims)
    for item, length in enumerate(lengths):
        x_places, y_places = trained.x_data.places(item), trained.y_data.places(item)
        parts = [
            trained.x.values[x_places].ravel(), trained.hx.values[:, item].ravel(), trained.cx.values[:, item].ravel(),
            network.space.values[0],
        ]
        point = np.concatenate(parts).astype(complex)
        # One variant for each number that is read, and one without a change.
        variants = np.tile(point, (point.size + 1, 1))
        variants[1:] += np.eye(point.size) * 1e-30j
        x, hx, cx, space = np.split(variants, np.cumsum([part.size for part in parts])[:-1], axis=1)
        x = np.moveaxis(x.reshape(len(x), length, network.inputs), 1, 0)
        states = [part.reshape(len(part), pseudos, -1) for part in (hx, cx)]
        out, last_h, last_c = network.run(space, list(x), *states)
        for place, vector in zip(y_places, out):
            y[place] = vector[0].real
        total = sum((vector @ dy.values[place] for place, vector in zip(y_places, out)), 0)
        for pseudo in range(pseudos):
            hy[pseudo, item], cy[pseudo, item] = last_h[pseudo][0].real, last_c[pseudo][0].real
            if dhy is not None:
                total = total + last_h[pseudo] @ dhy.values[pseudo, item]
            if dcy is not None and network.cell == LSTM:
                total = total + last_c[pseudo] @ dcy.values[pseudo, item]
        slopes = np.split(total[1:].imag / 1e-30, np.cumsum([part.size for part in parts])[:-1])
        dx[x_places] = slopes[0].reshape(length, network.inputs)
        dhx[:, item] = slopes[1].reshape(pseudos, -1)
        dcx[:, item] = slopes[2].reshape(pseudos, -1)
        dspace += slopes[3]
    return y, hy, cy, dx, dhx, dcx, dspace


def test_gradients_of_recurrent_networks():
    inputs, hidden, steps = 3, 4, 4
    # The numbers of layers, the lengths of sequences, and whether first states and gradients of last ones are given.
    shapes = [(2, [4, 3, 1], True), (1, [4, 4], False), (3, [2], True)]
    types = [(FLOAT, 2), (DOUBLE, 0), (HALF, 1), (BFLOAT16, 3)]
    cases = itertools.product(range(4), [1, 2], range(3), types, shapes)
    # A third of all combinations, which are the same in every run.
    for number, (cell, directions, layout, (ty, bias), (layers, lengths, given)) in enumerate(cases):
        if number % (31 if FEW else 3):
            continue
        network = Network(cell, bias, directions, ty, inputs, hidden, layers)
        check_gradients(network, layout, steps, lengths, given, (cell, directions, layout, ty, bias, layers))


def test_projections_and_limits():
    cases = itertools.product([1, 2], range(3), [FLOAT, DOUBLE], [None, 2], [None, (-0.25, 0.125)])
    for directions, layout, ty, state, clip in cases:
        network = Network(LSTM, 2, directions, ty, 3, 5, 2, None, state, clip)
        check_gradients(network, layout, 4, [4, 3, 1], True, (directions, layout, ty, state, clip))


def check_gradients(network, layout, steps, lengths, given, what):
    """A network's outputs and all of its gradients, whose sequences have so many steps."""
    ty, cell, inputs = network.ty, network.cell, network.inputs
    x_data = Sequences(layout, steps, lengths, inputs, ty)
    y_data = Sequences(layout, steps, lengths, network.state * network.directions, ty)
    trained = Trained(network, x_data, y_data, x_data.tensor(), given)
    dy, dx = y_data.tensor(), x_data.tensor(np.full((x_data.count, inputs), Sequences.FILL))
    of_states = trained.hx.dims, trained.cx.dims
    dhy, dcy = (Tensor(normal(*dims), ty) if given else None for dims in of_states)
    dhx, dcx = (Tensor(normal(*dims), ty) for dims in of_states)
    y, hy, cy, *wanted = derivatives(network, trained, dy, dhy, dcy)
    padded = np.ones(y_data.count, bool)
    padded[sum((y_data.places(item) for item in range(len(lengths))), [])] = False
    if ty in (HALF, BFLOAT16):
        y[padded] = trained.y.values[padded]
    # Rounded numbers meet slopes that are at most so steep.
    scale = dict(terms=64, scale=8.0)
    assert_near(trained.y.get(), y, ty, "y", *what, **scale)
    assert_near(trained.hy.get(), hy, ty, "hy", *what, **scale)
    if cell == LSTM:
        assert_near(trained.cy.get(), cy, ty, "cy", *what, **scale)
    # A pass for data can be made again.
    for _ in range(2):
        ok(trained.backward_data(dy, dx, dhy, dcy, dhx, dcx), *what)
    before = normal(1, network.space.values.size)
    dspace = Tensor(before, ty)
    ok(trained.backward_weights(dspace.address), *what)
    got = [dx.get(), dhx.get(), dcx.get(), dspace.get()[0] - dspace.values[0]]
    for name, got, wanted in zip(["dx", "dhx", "dcx", "weights"], got, wanted):
        if name != "dcx" or cell == LSTM:
            size = np.abs(wanted).max() + (np.abs(before).max() if name == "weights" else 0)
            assert_near(got, wanted, ty, name, *what, terms=64, scale=2 * size)


def test_dropout_between_layers():
    """Of networks that pass on what they read, so that what is left out shows."""
    hidden, steps, lengths = 16, 6, [6, 5, 2]
    for p, directions in itertools.product([0.0, 0.25, 1.0], [1, 2]):
        dropout, *_ = dropout_of(p)
        network = Network(RELU, 0, directions, FLOAT, hidden, hidden, 2, dropout)
        values = np.zeros(network.space.values.size)
        for (pseudo, number), ((first, rows, columns), _) in network.blocks.items():
            if number == 0:
                # The second layer adds what both directions give.
                matrix = np.concatenate([np.eye(hidden)] * (columns // hidden), 1)
                values[first : first + rows * columns] = matrix.ravel()
        network.space = Tensor(values[None], FLOAT)
        data = Sequences(0, steps, lengths, hidden, FLOAT)
        y_data = Sequences(0, steps, lengths, hidden * directions, FLOAT)
        x = data.tensor(np.abs(normal(data.count, hidden)) + 0.5)
        real = sum((data.places(item) for item in range(len(lengths))), [])

        def shares(got):
            """How many of the directions' elements stay: all directions of the second layer see the same."""
            parts = got[real].reshape(len(real), directions, hidden) / x.values[real][:, None]
            np.testing.assert_allclose(parts, parts[:, :1].repeat(directions, 1), rtol=1e-5)
            count = parts[:, 0] * (1 - p)
            np.testing.assert_allclose(count, np.round(count), atol=1e-5)
            return np.round(count)

        passes = [Trained(network, data, y_data, x) for _ in range(2)]
        counts = [shares(trained.y.get()) for trained in passes]
        for count in counts:
            drawn = len(real) * hidden * directions
            assert abs(count.sum() - drawn * (1 - p)) <= 6 * np.sqrt(drawn * p * (1 - p)), (p, directions)
        if 0 < p < 1:
            assert (counts[0] != counts[1]).mean() > 0.1
        for trained, count in zip(passes, counts):
            dy = y_data.tensor(np.ones((y_data.count, y_data.width)))
            dx = data.tensor()
            ok(trained.backward_data(dy, dx, None, None, None, None))
            share = count * directions / (1 - p) if p < 1 else 0
            np.testing.assert_allclose(dx.get()[real], share, rtol=1e-5, atol=1e-7)
            # The weights of the second layer meet what was not left out.
            dspace = Tensor(np.zeros((1, values.size)))
            ok(trained.backward_weights(dspace.address))
            first, rows, columns = network.blocks[directions, 0][0]
            got = dspace.get()[0, first : first + rows * columns].reshape(rows, directions, hidden)
            # Of a row those steps count whose output the ReLU passes on; of both directions only the sum is known.
            wanted = np.einsum("vi,vj->ij", count > 0, x.values[real] * share / directions)
            np.testing.assert_allclose(got.sum(1), wanted, rtol=1e-4, atol=1e-5)
        # Nothing is left out of inference.
        ok(passes[0].forward(0))
        got = passes[0].y.get()[real].reshape(len(real), directions, hidden)
        np.testing.assert_allclose(got, directions * x.values[real][:, None].repeat(directions, 1), rtol=1e-5)


# By the width of states, limits, first states of the cells and gradients of the last ones: the outputs, last states of the
# cells, gradients of x and of the first states, and every seventh of those of the weights.
ANSWERS = {
    (4, False, False, False): (
        [-0.06858, 0.04881, -0.04706, 0.07273, -0.07958, 0.0573, -0.07703, 0.0937, -0.17903, 0.00506, -0.08508, 0.1025],
        [-0.39087, 0.0081, -0.20318, 0.27163],
        [-0.02354, -0.01685, 0.02844, 0.02615, 0.05764, -0.06269, 0.01354, 0.06921, -0.11634],
        [0.01612, 0.01243, 0.00172, -0.01124], [-0.01387, -0.03851, -0.01044, 0.07067],
        [0.00416, -0.00014, -0.00349, 3e-05, -0.06478, -0.00093, -0.00159, -0.00157, -0.00083, -0.0002, -0.00065, -8e-05,
         -0.01091, -0.01088, 0.00317, 0.00101, -0.02669, -0.00128, 0.01567, 0.00844, -0.03583],
    ),
    (4, True, False, False): (
        [-0.0391, 0.04881, -0.04706, 0.0594, -0.04009, 0.05693, -0.05085, 0.06167, -0.04778, 0.00706, -0.04231, 0.05769],
        [-0.36397, 0.01132, -0.16348, 0.23395],
        [-0.00595, -0.00221, 0.02701, -0.00689, 0.00815, 0.00127, -0.0148, 0.03729, -0.07194],
        [0.00235, -0.00311, 0.0021, -0.00099], [0.0, -0.02838, 0.03001, 0.0],
        [0.0, -0.00064, 0.0, 0.0, -0.0617, 0.0, -0.00028, 0.0, 0.0, 0.0, -0.00043, 0.0, -0.00565, 0.0, 0.0009, 0.0005,
         0.0, 0.0, 0.00655, 0.00856, -0.01131],
    ),
    (4, True, True, False): (
        [-0.0391, 0.02121, -0.0331, 0.0594, -0.03976, 0.04379, -0.05044, 0.06202, -0.04769, -0.00071, -0.04216, 0.05789],
        [-0.36294, -0.00114, -0.16381, 0.23297],
        [-0.00571, -0.00284, 0.02665, -0.00637, 0.0073, 0.00077, -0.01444, 0.03803, -0.07185],
        [0.00316, -0.00312, 0.00112, -0.00091], [0.0, -0.0, 0.02998, 0.0],
        [0.0, -0.00064, 0.0, 0.0, -0.06138, 0.0, -0.00058, 0.0, 0.0, 0.0, -0.00033, 0.0, -0.0056, 0.0, 0.00074, 0.00036,
         0.0, 0.0, 0.00729, 0.00794, -0.01127],
    ),
    (4, True, False, True): (
        [-0.0391, 0.04881, -0.04706, 0.0594, -0.04009, 0.05693, -0.05085, 0.06167, -0.04778, 0.00706, -0.04231, 0.05769],
        [-0.36397, 0.01132, -0.16348, 0.23395],
        [-0.00813, 0.01114, -0.01657, -0.00968, 0.03136, -0.09084, -0.19552, 0.30862, -0.25313],
        [-0.03373, -0.00419, 0.03312, -0.05671], [0.0, 0.10454, 0.04288, 0.0],
        [0.01545, 0.01852, -0.00746, -0.00426, -0.13012, 0.11138, 0.00277, -0.0077, 0.00195, 0.00557, -0.00238, 0.00212,
         -0.03075, 0.03048, 0.00043, 1e-05, -0.1352, 0.03731, -0.00468, 0.0476, 0.0002],
    ),
    (2, False, True, True): (
        [-0.04255, -0.09667, -0.056, -0.10187, -0.02402, -0.08843], [0.30454, -0.2213, -0.3152, 0.10432],
        [-0.05508, 0.06686, -0.04645, -0.18793, 0.11284, -0.03991, -0.29947, 0.31964, -0.21879], [0.01535, 0.00765],
        [0.19114, 0.10839, 0.13902, 0.06011],
        [-0.02829, 0.00422, 0.0481, -0.00755, -0.07402, 0.16375, 0.00026, -0.0061, -0.0091, -0.00382, -0.03125, 0.0005,
         0.00205, 0.0666, 0.80717, -0.06453, 0.86576, 0.00364],
    ),
    (2, True, True, False): (
        [0.00085, -0.05635, -0.00459, -0.05116, 0.00434, -0.05156], [0.12792, -0.21298, -0.222, 0.10089],
        [0.00695, 0.00276, -0.00801, -0.00575, -0.0031, 0.00458, -0.02991, -0.01596, 0.01759], [0.00204, -0.00368],
        [0.0, 0.0, 0.0, -0.01212],
        [0.00011, 0.0, -0.00056, -0.00036, 0.0, 0.02286, -0.00011, 5e-05, 1e-05, -0.00025, -0.0003, 0.0001, -0.00565,
         0.00726, 0.0, 0.00016, -0.02544, 0.00441],
    ),
}


def test_answers_of_an_h100():
    """With cuDNN 9.19: an LSTM with limits and projections."""
    for (state, clip, with_cells, with_gradients), wanted in ANSWERS.items():
        network = Network(LSTM, 2, 1, FLOAT, 3, 4, 1, None, state, (-0.1, 0.15) if clip else None)
        count = network.space.values.size
        network.space = Tensor((np.arange(count) * 37 % 29 / 29 - 0.5)[None])
        x_data, y_data = Sequences(0, 3, [3], 3, FLOAT), Sequences(0, 3, [3], state, FLOAT)
        x = Tensor((np.arange(9) * 5 % 7 / 7 - 0.4).reshape(3, 3))
        trained = Trained(network, x_data, y_data, x, False)
        if with_cells:
            trained.cx = Tensor(np.array([0.5, -0.3, 0.05, 0.1]).reshape(1, 1, 4))
            trained.places[1] = trained.cx.address
            ok(trained.forward())
        dy, dx = Tensor((np.arange(12) % 5 / 5 - 0.3)[: 3 * state].reshape(3, state)), x_data.tensor()
        dcy = Tensor(np.ones((1, 1, 4))) if with_gradients else None
        dhx, dcx, dspace = Tensor(normal(1, 1, state)), Tensor(normal(1, 1, 4)), Tensor(np.zeros((1, count)))
        ok(trained.backward_data(dy, dx, None, dcy, dhx, dcx))
        ok(trained.backward_weights(dspace.address))
        got = [tensor.get().ravel() for tensor in (trained.y, trained.cy, dx, dhx, dcx, dspace)]
        got[-1] = got[-1][::7]
        names = ["y", "cy", "dx", "dhx", "dcx", "weights"]
        for name, got, wanted in zip(names, got, wanted):
            # It multiplies floats with fewer digits.
            np.testing.assert_allclose(got, wanted, atol=2e-4, err_msg=str((name, state, clip, with_cells)))
    made = Network(LSTM, 2, 1, FLOAT, 3, 4, 1).descriptor
    mode, nan, least, most = c.c_int(9), c.c_int(9), c.c_double(9), c.c_double(9)

    def set_to(mode, nan, least, most):
        return dnn.cudnnRNNSetClip_v8(made, mode, nan, c.c_double(least), c.c_double(most))

    ok(dnn.cudnnRNNGetClip_v9(made, c.byref(mode), c.byref(least), c.byref(most)))
    assert (mode.value, least.value, most.value) == (0, 0, 0)
    assert set_to(1, 0, -1, 1) == set_to(1, 1, 1, 1) == 0
    assert set_to(0, 0, 2, 1) == set_to(7, 0, -1, 1) == set_to(1, 5, -1, 1) == BAD_PARAM
    ok(dnn.cudnnRNNGetClip_v8(made, c.byref(mode), c.byref(nan), c.byref(least), c.byref(most)))
    assert (mode.value, nan.value, least.value, most.value) == (1, 1, 1, 1)


def test_gradients_with_dropout():
    """Against differences of the network's own outputs: the same seed leaves out the same."""
    hidden, lengths, step = 5, [4, 3], 1e-5
    for cell, directions in itertools.product(range(4), [1, 2]):
        made, states, size = dropout_of(0.4, 3)
        network = Network(cell, 2, directions, DOUBLE, 3, hidden, 3, made)
        x_data, y_data = Sequences(0, 4, lengths, 3, DOUBLE), Sequences(0, 4, lengths, hidden * directions, DOUBLE)
        x, dy = x_data.tensor(), y_data.tensor()
        real = sum((y_data.places(item) for item in range(len(lengths))), [])

        def value(x, space):
            ok(dnn.cudnnSetDropoutDescriptor(made, handle, c.c_float(0.4), states, size, c.c_ulonglong(3)))
            network.space = space
            trained = Trained(network, x_data, y_data, x, False)
            return trained, (trained.y.get() * dy.values)[real].sum()

        space = network.space
        trained, _ = value(x, space)
        dx, dspace = x_data.tensor(), Tensor(np.zeros(space.dims), DOUBLE)
        ok(trained.backward_data(dy, dx, None, None, None, None))
        ok(trained.backward_weights(dspace.address))
        gradients = np.where(np.isin(np.arange(x_data.count), real)[:, None], dx.get(), 0), dspace.get()
        for _ in range(4):
            ways = normal(*x.dims), normal(*space.dims)
            ends = [
                value(Tensor(x.values + side * ways[0], DOUBLE), Tensor(space.values + side * ways[1], DOUBLE))[1]
                for side in (step, -step)
            ]
            slope = (ends[0] - ends[1]) / (2 * step)
            wanted = sum((gradient * way).sum() for gradient, way in zip(gradients, ways))
            assert abs(slope - wanted) <= 1e-6 * (1 + abs(wanted)), (slope, wanted, cell, directions)


def test_statuses_of_recurrent_networks():
    """As an H100 with cuDNN 9.19 answers."""
    network = Network(LSTM, 2, 1, FLOAT, 3, 4, 2)
    x_data, y_data = Sequences(0, 4, [4, 3, 1], 3, FLOAT), Sequences(0, 4, [4, 3, 1], 4, FLOAT)
    trained = Trained(network, x_data, y_data, x_data.tensor())
    dy, dx = y_data.tensor(), x_data.tensor()
    dspace = Tensor(np.zeros(network.space.dims))

    def all_three(**other):
        return {
            trained.forward(**other), trained.backward_data(dy, dx, None, None, None, None, **other),
            trained.backward_weights(dspace.address, **other),
        }

    assert all_three() == {0}
    workspace, reserve = trained.work[:2], trained.work[2:]
    assert all_three(work=(*workspace, size_t(reserve[0].value - 1), reserve[1])) == {BAD_PARAM}
    assert all_three(work=(*workspace, reserve[0], None)) == {BAD_PARAM}
    assert all_three(hx=Tensor(normal(2, 3, 5))) == all_three(hx=Tensor(normal(1, 3, 4))) == {BAD_PARAM}
    assert all_three(hx=Tensor(normal(2, 3, 4), DOUBLE)) == {BAD_PARAM}
    # PyTorch gives all tensors five dimensions.
    assert all_three(hx=Tensor(normal(2, 3, 4, 1, 1))) == {0}
    assert all_three(hx=Tensor(normal(2, 3, 4, 1, 1), layout="gaps")) == {BAD_PARAM}
    assert all_three(size=size_t(network.size.value - 4)) == {BAD_PARAM}
    assert all_three(y_data=Sequences(0, 4, [4, 3, 1], 5, FLOAT)) == {BAD_PARAM}
    assert all_three(y_data=Sequences(0, 4, [4, 4, 1], 4, FLOAT)) == {BAD_PARAM}
    # Where weights are: as NVIDIA's cuDNN 9.28 answers. PyTorch asks for the matrix or for the bias.
    places = [c.c_void_p(), c.c_void_p()]

    def block(matrix=True, bias=True, to=(True, True), number=0, network=network):
        descriptors = [descriptor("Tensor") if wanted else None for wanted in (matrix, bias)]
        to = [c.byref(place) if wanted else None for wanted, place in zip(to, places)]
        return dnn.cudnnGetRNNWeightParams(
            handle, network.descriptor, 0, network.size, network.space.address, number, descriptors[0], to[0],
            descriptors[1], to[1],
        )

    assert block() == 0
    of_both = [place.value for place in places]
    places[:] = [c.c_void_p(), c.c_void_p()]
    assert block(bias=False, to=(True, False)) == block(matrix=False, to=(False, True)) == 0
    assert [place.value for place in places] == of_both and None not in of_both
    assert block(False, False, (False, False)) == 0
    assert block(bias=False) == block(matrix=False) == BAD_PARAM
    # There is no projection.
    for cell, gates in [(LSTM, 4), (GRU, 3), (RELU, 1)]:
        other = Network(cell, 2, 1, FLOAT, 3, 4, 2)
        assert block(number=2 * gates, network=other) == 0 and [place.value for place in places] == [None, None]
        assert block(number=2 * gates + 1, network=other) == BAD_PARAM
    assert trained.backward_weights(dspace.address, SET) == NOT_SUPPORTED
    assert trained.backward_weights(dspace.address, 7) == BAD_PARAM
    assert trained.backward_weights(None) == BAD_PARAM
    nothing = [None] * 4
    assert trained.backward_data(None, dx, *nothing) == trained.backward_data(dy, None, *nothing) == BAD_PARAM
    # Projections are those of an LSTM.
    for cell, wanted in [(RELU, NOT_SUPPORTED), (LSTM, 0), (GRU, NOT_SUPPORTED)]:
        assert dnn.cudnnSetRNNDescriptor_v8(
            descriptor("RNN"), 0, cell, 2, 0, 0, FLOAT, FLOAT, 0, 3, 4, 2, 1, None, 1
        ) == wanted
    # What fills the rest is told in its type.
    for ty, number in [(FLOAT, np.float32), (DOUBLE, np.float64), (HALF, np.float16)]:
        made, fill, found = descriptor("RNNData"), np.array([1.5], number), np.zeros(2, number)
        ok(dnn.cudnnSetRNNDataDescriptor(made, ty, 0, 2, 1, 3, array([2]), fill.ctypes.data_as(c.c_void_p)))
        numbers = [c.byref(c.c_int()) for _ in range(5)]
        ok(dnn.cudnnGetRNNDataDescriptor(made, *numbers, 0, None, found.ctypes.data_as(c.c_void_p)))
        assert (found == [1.5, 0]).all(), ty
        ok(dnn.cudnnGetRNNDataDescriptor(made, *numbers, 0, None, None))
    unset = descriptor("RNN")
    assert dnn.cudnnRNNBackwardWeights_v8(
        handle, unset, ADD, None, x_data.descriptor, trained.x.address, None, None, y_data.descriptor,
        trained.y.address, network.size, dspace.address, *trained.work,
    ) == BAD_PARAM


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name, flush=True)
