"""taichi runs kernels with fields, atomics, structs, random numbers and arrays of NumPy's on the CUDA device;
NumPy computes the same."""

import os

import numpy as np
import taichi as ti

ti.init(arch=ti.cuda, offline_cache=False, random_seed=5, device_memory_GB=0.2)
assert ti.cfg.arch == ti.cuda, f"taichi fell back to {ti.cfg.arch}"

N = 5000
values = ti.field(ti.f32, shape=N)
bins = ti.field(ti.i32, shape=32)
total = ti.field(ti.f64, shape=())
largest = ti.field(ti.f32, shape=())
grid = ti.Vector.field(2, ti.f32, shape=(24, 18))
sparse = ti.field(ti.i32)
ti.root.pointer(ti.i, 16).dense(ti.i, 8).place(sparse)


@ti.kernel
def fill():
    for i in values:
        values[i] = ti.sin(i * 0.37) * 10.0 + ti.cast(i % 7, ti.f32)


@ti.kernel
def accumulate():
    for i in values:
        ti.atomic_add(bins[ti.cast(ti.abs(values[i]), ti.i32) % 32], 1)
        ti.atomic_add(total[None], ti.cast(values[i], ti.f64))
        ti.atomic_max(largest[None], values[i])


@ti.func
def rotate(v, angle):
    return ti.Vector([v[0] * ti.cos(angle) - v[1] * ti.sin(angle), v[0] * ti.sin(angle) + v[1] * ti.cos(angle)])


@ti.kernel
def vectors(out: ti.types.ndarray()):
    for i, j in grid:
        grid[i, j] = rotate(ti.Vector([ti.cast(i, ti.f32), ti.cast(j, ti.f32)]), 0.5)
    for i, j in grid:
        out[i, j] = grid[i, j].norm()


@ti.kernel
def collatz(n: ti.i32) -> ti.i32:
    longest = 0
    for start in range(1, n):
        x, steps = start, 0
        while x != 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            steps += 1
        ti.atomic_max(longest, steps)
    return longest


@ti.kernel
def activate():
    for i in range(128):
        if i % 40 == 3:
            sparse[i] = i


@ti.kernel
def sum_sparse() -> ti.i32:
    result = 0
    for i in sparse:
        result += sparse[i] + 1
    return result


@ti.kernel
def randoms(out: ti.types.ndarray()):
    for i in range(out.shape[0]):
        out[i] = ti.random(ti.f32)


def longest_collatz(n):
    def steps(x):
        count = 0
        while x != 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            count += 1
        return count

    return max(steps(start) for start in range(1, n))


fill()
accumulate()
i = np.arange(N)
# taichi's sine is sin.approx: it is taken of the angle as a number of turns in a float, which NVIDIA's GPUs round
# towards zero and AMD's to nearest.
exact = (i.astype(np.float32) * np.float32(0.37)).astype(np.float64) * np.float32(1 / (2 * np.pi))
nearest = exact.astype(np.float32)
truncated = np.where(nearest > exact, np.nextafter(nearest, np.float32(0)), nearest)
turns = nearest if os.environ.get("ZLUDA_DEVICE", "cpu").startswith("emu") else truncated
got = values.to_numpy()
np.testing.assert_allclose(got, np.sin(turns.astype(np.float64) * 2 * np.pi) * 10 + i % 7, atol=2e-5)
# From here on with what the device computed: a bin or a maximum may not change by a rounding.
np.testing.assert_array_equal(bins.to_numpy(), np.bincount(np.abs(got).astype(np.int32) % 32, minlength=32))
np.testing.assert_allclose(total[None], got.astype(np.float64).sum(), rtol=1e-9)
assert largest[None] == got.max()

norms = np.zeros((24, 18), dtype=np.float32)
vectors(norms)
x, y = np.meshgrid(np.arange(24), np.arange(18), indexing="ij")
np.testing.assert_allclose(norms, np.hypot(x, y), rtol=1e-5)
rotated = grid.to_numpy()
np.testing.assert_allclose(rotated[..., 0], x * np.cos(0.5) - y * np.sin(0.5), atol=1e-4)

assert collatz(300) == longest_collatz(300)

activate()
# A block of eight becomes active as a whole.
assert sum_sparse() == 3 + 43 + 83 + 123 + 4 * 8

numbers = np.zeros(4000, dtype=np.float32)
randoms(numbers)
assert 0 <= numbers.min() and numbers.max() < 1 and abs(numbers.mean() - 0.5) < 0.03 and len(set(numbers)) > 3900
print("PASS taichi_fields")
