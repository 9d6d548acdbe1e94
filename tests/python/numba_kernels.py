"""numba compiles kernels with shared memory, barriers, atomics, warp functions, local arrays and device
functions; NumPy computes the same."""

import math
import warnings

import numpy as np
from numba import cuda, float32, int32
from numba.core.errors import NumbaPerformanceWarning

warnings.simplefilter("ignore", NumbaPerformanceWarning)


@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = a * x[i] + y[i]


@cuda.jit
def block_sums(x, sums, total):
    shared = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    distance = 64
    while distance > 0:
        if t < distance:
            shared[t] += shared[t + distance]
        cuda.syncthreads()
        distance //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = shared[0]
        cuda.atomic.add(total, 0, shared[0])


@cuda.jit
def histogram(x, bins, extremes):
    shared = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    if t < 32:
        shared[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(shared, x[i] % 32, 1)
        cuda.atomic.max(extremes, 0, x[i])
        cuda.atomic.min(extremes, 1, x[i])
    cuda.syncthreads()
    if t < 32:
        cuda.atomic.add(bins, t, shared[t])


@cuda.jit
def matmul(a, b, c):
    tile_a = cuda.shared.array((16, 16), float32)
    tile_b = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for start in range(0, a.shape[1], 16):
        tile_a[tx, ty] = a[x, start + ty] if x < a.shape[0] and start + ty < a.shape[1] else 0
        tile_b[tx, ty] = b[start + tx, y] if y < b.shape[1] and start + tx < b.shape[0] else 0
        cuda.syncthreads()
        for k in range(16):
            total += tile_a[tx, k] * tile_b[k, ty]
        cuda.syncthreads()
    if x < c.shape[0] and y < c.shape[1]:
        c[x, y] = total


@cuda.jit(device=True)
def polynomial(x, coefficients):
    result = 0.0
    for i in range(coefficients.size):
        result = result * x + coefficients[i]
    return result


@cuda.jit
def functions(x, coefficients, out):
    i = cuda.grid(1)
    if i < x.size:
        local = cuda.local.array(4, float32)
        for k in range(4):
            local[k] = x[i] * (k + 1)
        out[i, 0] = math.sin(x[i]) * math.exp(-x[i])
        out[i, 1] = math.pow(x[i], 1.5) + math.log(x[i])
        out[i, 2] = polynomial(x[i], coefficients)
        out[i, 3] = local[i % 4]


@cuda.jit
def warps(x, out):
    i = cuda.grid(1)
    value = x[i]
    ballot = cuda.ballot_sync(0xFFFFFFFF, value > 0)
    for distance in (16, 8, 4, 2, 1):
        value += cuda.shfl_xor_sync(0xFFFFFFFF, value, distance)
    out[i, 0] = value
    out[i, 1] = cuda.popc(ballot)


random = np.random.RandomState(1)
N = 3000
BLOCKS = (N + 127) // 128
x, y = random.randn(N).astype(np.float32), random.randn(N).astype(np.float32)

out = np.zeros(N, dtype=np.float32)
saxpy[BLOCKS, 128](np.float32(2.5), x, y, out)
np.testing.assert_allclose(out, np.float32(2.5) * x + y, rtol=1e-5, atol=1e-6)

device_x = cuda.to_device(x)
sums, total = cuda.device_array(BLOCKS, np.float32), cuda.to_device(np.zeros(1, np.float32))
block_sums[BLOCKS, 128](device_x, sums, total)
padded = np.concatenate([x, np.zeros(BLOCKS * 128 - N, np.float32)]).reshape(BLOCKS, 128)
np.testing.assert_allclose(sums.copy_to_host(), padded.sum(axis=1), rtol=1e-4, atol=1e-4)
np.testing.assert_allclose(total.copy_to_host()[0], x.sum(), rtol=1e-3, atol=1e-3)

integers = random.randint(0, 100000, N).astype(np.int32)
bins, extremes = np.zeros(32, np.int32), np.array([-1, 1 << 30], np.int32)
histogram[4, 96](integers, bins, extremes)
np.testing.assert_array_equal(bins, np.bincount(integers % 32, minlength=32))
np.testing.assert_array_equal(extremes, [integers.max(), integers.min()])

a, b = random.randn(40, 50).astype(np.float32), random.randn(50, 33).astype(np.float32)
c = np.zeros((40, 33), np.float32)
matmul[(3, 3), (16, 16)](a, b, c)
np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)

positive = random.uniform(0.1, 5, 200)
coefficients = np.array([1.5, -2.0, 0.25, 3.0])
out = np.zeros((200, 4))
functions[2, 128](positive, coefficients, out)
np.testing.assert_allclose(out[:, 0], np.sin(positive) * np.exp(-positive), rtol=1e-12, atol=1e-15)
np.testing.assert_allclose(out[:, 1], positive**1.5 + np.log(positive), rtol=1e-12, atol=1e-12)
np.testing.assert_allclose(out[:, 2], np.polyval(coefficients, positive), rtol=1e-12, atol=1e-12)
np.testing.assert_allclose(out[:, 3], (positive * (np.arange(200) % 4 + 1)).astype(np.float32), rtol=1e-6)

signed = random.randint(-50, 50, 128).astype(np.int32)
out = np.zeros((128, 2), np.int32)
warps[2, 64](signed, out)
by_warp = signed.reshape(4, 32)
np.testing.assert_array_equal(out[:, 0], np.repeat(by_warp.sum(axis=1), 32))
np.testing.assert_array_equal(out[:, 1], np.repeat((by_warp > 0).sum(axis=1), 32))

# Streams, events, pinned memory, memory of the device seen as an array.
stream = cuda.stream()
pinned = cuda.pinned_array(N, np.float32)
pinned[:] = x
with stream.auto_synchronize():
    there = cuda.to_device(pinned, stream=stream)
    result = cuda.device_array_like(there, stream=stream)
    for _ in range(3):
        saxpy[BLOCKS, 128, stream](np.float32(2), there, there, result)
        there.copy_to_device(result, stream=stream)
    back = result.copy_to_host(stream=stream)
np.testing.assert_allclose(back, x * 27, rtol=1e-5)
print("PASS numba_kernels")
