"""Our cuFFT against NumPy, and against NVIDIA's where that runs: results, and the statuses of right and wrong calls."""

import ctypes as c
import itertools
import os

# What NVIDIA's library needs.
os.environ.setdefault("ZLUDA_CC", "13.0")
# Emulated GPUs are slow at NVIDIA's kernels.
FEW = os.environ.get("ZLUDA_DEVICE", "").startswith(("emu", "rocm"))

import numpy as np

folder = os.environ["NVIDIA_LIBRARIES"]
c.CDLL(os.path.join(folder, "libnvJitLink.so.13"), mode=c.RTLD_GLOBAL)
runtime = c.CDLL(os.path.join(folder, "libcudart.so.13"), mode=c.RTLD_GLOBAL)
own = c.CDLL("libzluda_fft.so")
nvidia = None if FEW else c.CDLL(os.path.join(folder, "libcufft.so.12"))
libraries = [own] if FEW else [own, nvidia]
random = np.random.default_rng(1)

FORWARD, INVERSE = -1, 1
C2C, R2C, C2R, Z2Z, D2Z, Z2D = 0x29, 0x2A, 0x2C, 0x69, 0x6A, 0x6C
TYPES = {C2C: "F", R2C: "fF", C2R: "Ff", Z2Z: "D", D2Z: "dD", Z2D: "Dd"}


def ok(status, *what):
    assert status == 0, (status, *what)


class Memory:
    """Device memory that holds an array."""

    def __init__(self, values):
        self.like = np.ascontiguousarray(values)
        self.address = c.c_void_p()
        ok(runtime.cudaMalloc(c.byref(self.address), c.c_size_t(self.like.nbytes)))
        host = self.like.ctypes.data_as(c.c_void_p)
        ok(runtime.cudaMemcpy(self.address, host, c.c_size_t(self.like.nbytes), 1))

    def get(self):
        ok(runtime.cudaDeviceSynchronize())
        values = np.empty_like(self.like)
        host = values.ctypes.data_as(c.c_void_p)
        ok(runtime.cudaMemcpy(host, self.address, c.c_size_t(values.nbytes), 2))
        return values

    def __del__(self):
        runtime.cudaFree(self.address)


def array(values, ty=c.c_int):
    return None if values is None else (ty * len(values))(*values)


def normal(shape, dtype):
    values = random.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def assert_near(got, wanted, dtype, *what):
    """Within the error bound of the format: sums in pairs lose a rounding a level."""
    epsilon = np.finfo(dtype).eps / 2
    bound = epsilon * np.sqrt((np.abs(wanted) ** 2).mean()) * (8 + 4 * np.log2(wanted.size))
    error = np.abs(got - wanted).max()
    assert error <= bound + epsilon * np.abs(wanted).max(), (error, bound, *what)


def exec_of(library, plan, ty, source, target, direction):
    if ty in (C2C, Z2Z):
        call = library.cufftExecC2C if ty == C2C else library.cufftExecZ2Z
        ok(call(plan, source, target, direction))
    else:
        name = {R2C: "R2C", C2R: "C2R", D2Z: "D2Z", Z2D: "Z2D"}[ty]
        ok(getattr(library, "cufftExec" + name)(plan, source, target))


def expected(values, ty, axes, sizes, direction):
    if ty in (C2C, Z2Z):
        wide = values.astype(np.complex128)
        count = np.prod(sizes)
        return np.fft.fftn(wide, axes=axes) if direction == FORWARD else np.fft.ifftn(wide, axes=axes) * count
    if ty in (R2C, D2Z):
        return np.fft.rfftn(values.astype(np.float64), axes=axes)
    return np.fft.irfftn(values.astype(np.complex128), s=sizes, axes=axes) * np.prod(sizes)


def halves(sizes):
    return (*sizes[:-1], sizes[-1] // 2 + 1)


def test_packed(sizes, batch, ty, direction, in_place):
    real_in, real_out = ty in (R2C, D2Z), ty in (C2R, Z2D)
    kinds = TYPES[ty]
    axes = tuple(range(1, len(sizes) + 1))
    from_sizes = halves(sizes) if real_out else sizes
    values = normal((batch, *from_sizes), kinds[0])
    wanted = expected(values, ty, axes, sizes, direction)
    for library in libraries:
        plan = c.c_int()
        ok(library.cufftPlanMany(c.byref(plan), len(sizes), array(sizes), None, 1, 0, None, 1, 0, ty, batch))
        if in_place and (real_in or real_out):
            # Lines of reals have room for their complex half.
            padded = np.zeros((batch, *halves(sizes)), kinds.upper()[0])
            view = padded.view(kinds.lower()[0])[..., : sizes[-1]] if real_in else padded
            view[...] = values
            memory = Memory(padded)
            exec_of(library, plan, ty, memory.address, memory.address, direction)
            got = memory.get()
            got = got if real_in else got.view(kinds.lower()[0])[..., : sizes[-1]]
        else:
            source = Memory(values)
            target = source if in_place else Memory(np.zeros((batch, *wanted.shape[1:]), kinds[-1]))
            exec_of(library, plan, ty, source.address, target.address, direction)
            got = target.get()
        assert_near(got, wanted, kinds[0], library, sizes, batch, hex(ty), direction, in_place)
        ok(library.cufftDestroy(plan))


sizes = [(1,), (2,), (8,), (13,), (60,), (97,), (1000,), (1024,), (1009,), (4, 6), (16, 32), (7, 9), (3, 4, 5), (8, 8, 8), (1, 5, 1)]
for shape, ty, in_place in itertools.product(sizes, TYPES, (False, True)):
    for direction in (FORWARD, INVERSE) if ty in (C2C, Z2Z) else (FORWARD,):
        # NVIDIA's kernels are compiled for each size: a few of them.
        libraries = [own] if FEW or shape not in ((8,), (97,), (16, 32), (3, 4, 5)) or in_place else [own, nvidia]
        test_packed(shape, 3, ty, direction, in_place)
libraries = [own]
test_packed((1 << 18,), 1, C2C, FORWARD, False)
test_packed((1 << 18,), 1, Z2Z, INVERSE, True)
test_packed((64, 128, 32), 1, R2C, FORWARD, False)
test_packed((64, 128, 32), 1, C2R, FORWARD, True)
test_packed((30, 20), 200, D2Z, FORWARD, False)

# Advanced layouts: every second element, lines of columns, gaps between transforms.
for library in [own] if FEW else [own, nvidia]:
    for sizes, stride, distance in [((12,), 2, 30), ((12,), 5, 1), ((4, 6), 1, 64)]:
        values = normal(400, np.complex64)
        embed = (sizes[0],) if len(sizes) == 1 else (sizes[0], 8)
        plan, batch = c.c_int(), 4
        ok(
            library.cufftPlanMany(
                c.byref(plan), len(sizes), array(sizes), array(embed), stride, distance, array(embed), stride, distance, C2C, batch
            )
        )
        source, target = Memory(values), Memory(np.zeros_like(values))
        ok(library.cufftExecC2C(plan, source.address, target.address, FORWARD))
        got = target.get()
        at = np.indices(sizes)
        at = stride * (at[0] if len(sizes) == 1 else at[0] * 8 + at[1])
        for item in range(batch):
            wanted = np.fft.fftn(values[at + item * distance].astype(np.complex128))
            assert_near(got[at + item * distance], wanted, np.complex64, library, sizes, stride, distance)
        ok(library.cufftDestroy(plan))

# Half precision, rounded once.
C16F = 6
for sizes in [(64,), (8, 16)]:
    values = normal((2, *sizes), np.complex64)
    pairs = values.view(np.float32).astype(np.float16)
    plan, size, long = c.c_int(), c.c_size_t(), lambda values: array(values, c.c_longlong)
    ok(own.cufftCreate(c.byref(plan)))
    one, none = c.c_longlong(1), c.c_longlong(0)
    ok(
        own.cufftXtMakePlanMany(
            plan, len(sizes), long(sizes), None, one, none, C16F, None, one, none, C16F, c.c_longlong(2), c.byref(size), C16F
        )
    )
    memory = Memory(pairs)
    ok(own.cufftXtExec(plan, memory.address, memory.address, FORWARD))
    got = memory.get().astype(np.float32).view(np.complex64)
    wanted = np.fft.fftn(pairs.astype(np.float64).view(np.complex128), axes=tuple(range(1, len(sizes) + 1)))
    assert np.abs(got - wanted).max() <= np.finfo(np.float16).eps * np.abs(wanted).max()
    ok(own.cufftDestroy(plan))

# The same statuses for the same calls.
here = Memory(np.zeros(4096, np.complex128)).address


def statuses(library):
    """What the library answers, one word a call."""
    size, version = c.c_size_t(), c.c_int()
    place = c.byref(size)
    one, none = c.c_longlong(1), c.c_longlong(0)

    def create():
        plan = c.c_int()
        ok(library.cufftCreate(c.byref(plan)))
        return plan

    def many(lengths, embed_in, stride_in, distance_in, embed_out, stride_out, distance_out, ty=C2C, batch=2):
        return library.cufftPlanMany(
            c.byref(c.c_int()), len(lengths), array(lengths), array(embed_in), stride_in, distance_in,
            array(embed_out), stride_out, distance_out, ty, batch,
        )

    def xt(lengths, source, target, execution):
        plan, lengths = create(), array(lengths, c.c_longlong)
        made = library.cufftXtMakePlanMany(
            plan, len(lengths), lengths, None, one, none, source, None, one, none, target, one, place, execution
        )
        # NVIDIA's library crashes where it runs a plan of a length that it has refused.
        runs = [library.cufftXtExec(plan, here, here, direction) for direction in (-1, 1, 0, 2) if made != 16]
        return made, *runs, library.cufftDestroy(plan)

    yield "create", library.cufftCreate(None), library.cufftDestroy(c.c_int(12345)), library.cufftDestroy(c.c_int(-1))
    plan = create()
    yield "unmade", library.cufftGetSize(plan, place), library.cufftExecC2C(plan, here, here, -1)
    yield "settings", library.cufftSetAutoAllocation(plan, 2), library.cufftSetWorkArea(plan, None)
    yield "no size", library.cufftMakePlan1d(plan, 64, C2C, 1, None)
    yield "made", library.cufftMakePlan1d(plan, 64, C2C, 1, place), library.cufftMakePlan1d(plan, 64, C2C, 1, place)
    yield "size", library.cufftGetSize(plan, place), library.cufftGetSize(plan, None)
    yield "directions", [library.cufftExecC2C(plan, here, here, direction) for direction in (-1, 1, 0, 2, -2)]
    yield "properties", [library.cufftSetPlanPropertyInt64(plan, number, one) for number in range(6)]
    yield "destroyed", library.cufftDestroy(plan), library.cufftDestroy(plan), library.cufftExecC2C(plan, here, here, -1)
    for length, ty, batch in itertools.product((-1, 0, 1, 8), (0, 0x2B, C2C, R2C, C2R, Z2D), (-1, 0, 1, 3)):
        made = c.c_int()
        yield "one dimension", length, ty, batch, library.cufftPlan1d(c.byref(made), length, ty, batch)
        yield "estimate", length, ty, batch, library.cufftEstimate1d(length, ty, batch, place)
    yield "no plan", library.cufftPlan1d(None, 8, C2C, 1), library.cufftPlan3d(None, 8, 8, 8, C2C)
    for rank in (-1, 0, 1, 2, 3, 4):
        made = c.c_int()
        yield "rank", rank, library.cufftPlanMany(c.byref(made), rank, array([2] * 4), None, 1, 0, None, 1, 0, C2C, 1)
    yield "no lengths", library.cufftPlanMany(c.byref(c.c_int()), 1, None, None, 1, 0, None, 1, 0, C2C, 1)
    for stride, distance in itertools.product((-1, 0, 1, 2), (-8, 0, 1, 8)):
        yield "input", stride, distance, many([8], [8], stride, distance, [8], 1, 8)
        yield "output", stride, distance, many([8], [8], 1, 8, [8], stride, distance)
    yield "one side", many([8], None, 1, 8, [8], 1, 8), many([8], [8], 1, 8, None, 1, 8), many([8], None, 0, 0, None, 0, 0)
    yield "memory", many([8], [4], 1, 8, [8], 1, 8), many([8, 8], [8, 4], 1, 64, [8, 8], 1, 64)
    yield "first length", many([8, 8], [0, 8], 1, 64, [-1, 8], 1, 64)
    # CUDA_R_32F, C_32F, R_64F, C_64F, R_16F, C_16F, R_8I, and none.
    for source, target, execution in itertools.product((0, 4, 1, 5, 2, 6, 3, 99), repeat=3):
        if FEW or source in (0, 4, 3) or source == target == execution or (source, target, execution) == (2, 6, 6):
            yield "types", source, target, execution, xt([8], source, target, execution)
    yield "half", [xt(lengths, 6, 6, 6)[0] for lengths in ([8], [12], [1], [8, 12], [8, 16])]
    yield "property", [library.cufftGetProperty(number, c.byref(version)) for number in range(-1, 4)]
    yield "no version", library.cufftGetVersion(None), library.cufftGetProperty(0, None)
    plan = create()
    for number, value in itertools.product(range(6), (0, 1, 2, -1)):
        kept = c.c_longlong(55)
        yield (
            "plan property", number, value,
            library.cufftSetPlanPropertyInt64(plan, number, c.c_longlong(value)),
            library.cufftGetPlanPropertyInt64(plan, number, c.byref(kept)), kept.value,
        )
    yield "reset", [library.cufftResetPlanProperty(plan, number) for number in range(6)]
    yield "GPUs", library.cufftXtSetGPUs(plan, 1, array([0])), library.cufftXtSetGPUs(plan, 0, array([0]))
    yield "callback", library.cufftXtSetCallback(plan, None, 0, None), library.cufftXtClearCallback(plan, 0)
    yield "work area", library.cufftXtSetWorkArea(plan, None)


answers = list(statuses(own))
if not FEW:
    for ours, theirs in itertools.zip_longest(answers, statuses(nvidia)):
        assert ours == theirs, (ours, theirs)
ok(runtime.cudaDeviceSynchronize())
print(len(answers), "answers")
