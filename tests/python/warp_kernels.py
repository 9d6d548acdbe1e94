"""warp compiles kernels with its copy of NVRTC, launches them on the CUDA device, and NumPy computes the same."""
import numpy as np
import warp as wp

wp.config.cuda_output = "ptx"
wp.config.quiet = True
wp.init()
device = "cuda:0"


@wp.kernel
def saxpy(a: float, x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = a * x[i] + y[i]


@wp.kernel
def energy(points: wp.array(dtype=wp.vec3), total: wp.array(dtype=float)):
    i = wp.tid()
    p = points[i]
    rotated = wp.quat_rotate(wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.5), p)
    wp.atomic_add(total, 0, wp.dot(rotated, rotated) + wp.sin(p[0]) - wp.sin(p[0]))


@wp.kernel
def noise(out: wp.array(dtype=float)):
    i = wp.tid()
    state = wp.rand_init(42, i)
    out[i] = wp.randf(state) + wp.noise(state, wp.vec2(float(i) * 0.1, 0.3)) * 0.0


@wp.kernel
def matrices(a: wp.array(dtype=wp.mat33d), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    out[i] = wp.determinant(wp.inverse(a[i]) * a[i] * a[i])


@wp.kernel
def square(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(out, 0, x[i] * x[i])


TILE = wp.constant(64)


@wp.kernel
def tiles(a: wp.array2d(dtype=float), rows: wp.array(dtype=float), doubled: wp.array2d(dtype=float)):
    i = wp.tid()
    row = wp.tile_load(a, shape=(1, TILE), offset=(i, 0))
    wp.tile_store(doubled, row + row, offset=(i, 0))
    wp.tile_atomic_add(rows, wp.tile_sum(row), offset=i)


N = 1000
random = np.random.RandomState(3)
x, y = random.randn(N).astype(np.float32), random.randn(N).astype(np.float32)
dx, dy = wp.array(x, dtype=float, device=device), wp.array(y, dtype=float, device=device)
wp.launch(saxpy, dim=N, inputs=[2.5, dx, dy], device=device)
np.testing.assert_allclose(dy.numpy(), np.float32(2.5) * x + y, rtol=1e-5, atol=1e-6)

points = random.randn(N, 3).astype(np.float32)
total = wp.zeros(1, dtype=float, device=device)
wp.launch(energy, dim=N, inputs=[wp.array(points, dtype=wp.vec3, device=device), total], device=device)
np.testing.assert_allclose(total.numpy()[0], (points**2).sum(), rtol=1e-3)

numbers = wp.zeros(N, dtype=float, device=device)
wp.launch(noise, dim=N, inputs=[numbers], device=device)
assert 0 <= numbers.numpy().min() and numbers.numpy().max() < 1 and len(set(numbers.numpy())) > 950

m = random.randn(50, 3, 3)
out = wp.zeros(50, dtype=wp.float64, device=device)
wp.launch(matrices, dim=50, inputs=[wp.array(m, dtype=wp.mat33d, device=device), out], device=device)
np.testing.assert_allclose(out.numpy(), np.linalg.det(m), rtol=1e-8)

# Blocks that work together.
a = random.randn(20, 64).astype(np.float32)
rows, doubled = wp.zeros(20, dtype=float, device=device), wp.zeros((20, 64), dtype=float, device=device)
wp.launch_tiled(tiles, dim=[20], inputs=[wp.array(a, dtype=float, device=device), rows, doubled], block_dim=64,
                device=device)
np.testing.assert_allclose(rows.numpy(), a.sum(axis=1), rtol=1e-4, atol=1e-5)
np.testing.assert_array_equal(doubled.numpy(), 2 * a)

# Launches that are captured, with an array that is made meanwhile, and launched as a graph.
captured = wp.zeros(N, dtype=float, device=device)
with wp.ScopedCapture(device=device) as capture:
    for _ in range(4):
        wp.launch(saxpy, dim=N, inputs=[0.5, dx, captured], device=device)
    kept = wp.clone(captured)
np.testing.assert_array_equal(captured.numpy(), 0)
for _ in range(3):
    wp.capture_launch(capture.graph)
np.testing.assert_allclose(captured.numpy(), 6 * x, rtol=1e-5, atol=1e-5)
np.testing.assert_array_equal(kept.numpy(), captured.numpy())

# The gradient that warp derives.
gx = wp.array(x, dtype=float, device=device, requires_grad=True)
loss = wp.zeros(1, dtype=float, device=device, requires_grad=True)
tape = wp.Tape()
with tape:
    wp.launch(square, dim=N, inputs=[gx, loss], device=device)
tape.backward(loss)
np.testing.assert_allclose(gx.grad.numpy(), 2 * x, rtol=1e-6)

# Kernels that stand in warp's library as fat binaries.
keys = wp.array(np.concatenate([random.randint(0, 1000, N), np.zeros(N)]).astype(np.int32), dtype=int, device=device)
values = wp.array(np.arange(2 * N, dtype=np.int32), dtype=int, device=device)
before = keys.numpy()[:N].copy()
wp.utils.radix_sort_pairs(keys, values, N)
np.testing.assert_array_equal(keys.numpy()[:N], np.sort(before))
np.testing.assert_array_equal(values.numpy()[:N], np.argsort(before, kind="stable"))
sums = wp.zeros(N, dtype=float, device=device)
wp.utils.array_scan(dx, sums, inclusive=True)
np.testing.assert_allclose(sums.numpy(), np.cumsum(x.astype(np.float64)), rtol=1e-3, atol=1e-3)
np.testing.assert_allclose(wp.utils.array_sum(dx), x.sum(), rtol=1e-3, atol=1e-3)
print("PASS warp_kernels")
