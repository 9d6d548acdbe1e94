"""NVIDIA's cuFFT against NumPy: plans of 1 to 3 dimensions, primes, batches, complex and real, in single and double."""

import ctypes as c

import numpy as np
from dense_arrays import FEW, Array, ok
from nvidia_packages import call, load

fft = load("cufft")
random = np.random.default_rng(3)
R2C, C2R, C2C, D2Z, Z2D, Z2Z = 0x2A, 0x2C, 0x29, 0x6A, 0x6C, 0x69
FORWARD, INVERSE = -1, 1


def normal(shape, dtype):
    values = random.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def plan(shape, kind, batch=1, embedded=None):
    """A plan; `embedded` is the distance of elements and the lengths of the memory that holds a transform."""
    made, sizes = c.c_int(), (c.c_int * len(shape))(*shape)
    step, lengths = embedded or (1, None)
    memory = (c.c_int * len(shape))(*lengths) if lengths else None
    distance = step * int(np.prod(lengths)) if lengths else 0
    layout = (memory, step, distance)
    ok(fft.cufftPlanMany(c.byref(made), len(shape), sizes, *layout, *layout, kind, batch), shape, kind)
    return made


def execute(name, made, source, target, *direction):
    ok(call(fft, f"cufftExec{name}", made, source, target, *direction), name)
    ok(fft.cufftDestroy(made))
    return target.get()


def close(found, wanted, dtype, *what):
    error = np.abs(found.ravel() - wanted.ravel()).max() / np.abs(wanted).max()
    assert error < 8 * np.finfo(dtype).eps, (error, *what)


def transformed(values, axes, direction):
    wide = values.astype(np.complex128)
    return np.fft.fftn(wide, axes=axes) if direction < 0 else np.fft.ifftn(wide, axes=axes, norm="forward")


def check_complex():
    shapes = [(64,)] if FEW else [(64,), (97,), (1000,), (1009,), (1 << 16,), (32, 48), (8, 9, 10)]
    kinds = [(np.complex64, C2C, "C2C"), (np.complex128, Z2Z, "Z2Z")]
    for shape in shapes:
        for dtype, kind, name in kinds[:1] if FEW else kinds:
            for direction in (FORWARD, INVERSE):
                values = normal(shape, dtype)
                place = Array(values.ravel())
                found = execute(name, plan(shape, kind), place, place, direction)
                close(found, transformed(values, None, direction), dtype, shape, name, direction)


def check_real():
    kinds = [(np.float32, np.complex64, R2C, C2R, "R2C", "C2R"), (np.float64, np.complex128, D2Z, Z2D, "D2Z", "Z2D")]
    for shape in [(100,), (1 << 12,), (24, 36), (6, 10, 14)]:
        for real, dtype, there, back, name, inverse in kinds:
            values = normal(shape, real)
            wanted = np.fft.rfftn(values.astype(np.float64))
            halves = Array(np.zeros(wanted.size, dtype))
            found = execute(name, plan(shape, there), Array(values.ravel()), halves)
            close(found, wanted, real, shape, name)
            again = execute(inverse, plan(shape, back), halves, Array(np.zeros(values.size, real)))
            close(again, values * values.size, real, shape, inverse)


def check_batches():
    # One after the other, and elements of a batch three apart in longer memory.
    values = normal((5, 120), np.complex64)
    place = Array(values.ravel())
    found = execute("C2C", plan((120,), C2C, 5), place, place, FORWARD)
    close(found, transformed(values, (1,), FORWARD), np.complex64, "batch")
    values = normal((4, 130, 3), np.complex64)
    place = Array(values.ravel())
    found = execute("C2C", plan((120,), C2C, 4, (3, (130,))), place, place, FORWARD).reshape(values.shape)
    close(found[:, :120, 0], transformed(values[:, :120, 0], (1,), FORWARD), np.complex64, "steps")
    assert (found[:, :, 1:] == values[:, :, 1:]).all() and (found[:, 120:] == values[:, 120:]).all()


check_complex()
if not FEW:
    check_real()
    check_batches()
print("PASS nvidia_fft")
