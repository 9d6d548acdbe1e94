"""Our cuRAND against NVIDIA's generators on the host, which need no GPU and no driver: every bit of the values that ours
make on the device, in streams and in graphs, and on the host; and the statuses of right and wrong calls."""

import ctypes as c
import os

import numpy as np

# Emulated GPUs have the same generators: some values show that they come to the right place.
FEW = os.environ.get("ZLUDA_DEVICE", "").startswith("emu")

runtime = c.CDLL(os.path.join(os.environ["NVIDIA_LIBRARIES"], "libcudart.so.13"))
nvidia = c.CDLL(os.path.join(os.environ["NVIDIA_LIBRARIES"], "libcurand.so.10"))
own = c.CDLL("libzluda_rand.so")

XORWOW, MRG32K3A, MTGP32, MT19937, PHILOX, SOBOL32, SOBOL64 = 101, 121, 141, 142, 161, 201, 203
BEST, DEFAULT, SEEDED, LEGACY, QUASI = 100, 101, 102, 103, 201
ORDERINGS = {
    XORWOW: (BEST, DEFAULT, SEEDED, LEGACY),
    MRG32K3A: (BEST, DEFAULT, LEGACY),
    MTGP32: (BEST, DEFAULT, LEGACY),
    MT19937: (DEFAULT,),
    PHILOX: (BEST, DEFAULT, LEGACY),
    SOBOL32: (QUASI,),
    SOBOL64: (QUASI,),
}
# Each with the type of its values and the parameters behind their number.
SCALE = (c.c_float(1.5), c.c_float(0.7))
DOUBLE_SCALE = (c.c_double(1.5), c.c_double(0.7))
KINDS = {
    "curandGenerate": ("u4", ()),
    "curandGenerateLongLong": ("u8", ()),
    "curandGenerateUniform": ("f4", ()),
    "curandGenerateUniformDouble": ("f8", ()),
    "curandGenerateNormal": ("f4", SCALE),
    "curandGenerateNormalDouble": ("f8", DOUBLE_SCALE),
    "curandGenerateLogNormal": ("f4", SCALE),
    "curandGenerateLogNormalDouble": ("f8", DOUBLE_SCALE),
}


def ok(status, *what):
    assert status == 0, (status, *what)


def kinds(generator):
    """The functions that a generator serves: integers have the width of its own."""
    wide = generator == SOBOL64
    return [kind for kind in KINDS if kind != ("curandGenerate" if wide else "curandGenerateLongLong")]


class Generator:
    """A generator of a library, on the host or on the device."""

    def __init__(self, library, kind, on_host, ordering, seed=None, offset=0, dimensions=1):
        self.library, self.on_host, self.handle = library, on_host, c.c_void_p()
        create = library.curandCreateGeneratorHost if on_host else library.curandCreateGenerator
        ok(create(c.byref(self.handle), kind), kind)
        ok(library.curandSetGeneratorOrdering(self.handle, ordering), kind, ordering)
        if kind < SOBOL32:
            ok(library.curandSetPseudoRandomGeneratorSeed(self.handle, c.c_ulonglong(seed)))
        else:
            ok(library.curandSetQuasiRandomGeneratorDimensions(self.handle, dimensions))
        if offset:
            ok(library.curandSetGeneratorOffset(self.handle, c.c_ulonglong(offset)))

    def __del__(self):
        ok(self.library.curandDestroyGenerator(self.handle))

    def put(self, function, address, count):
        scale = KINDS[function][1]
        ok(getattr(self.library, function)(self.handle, address, c.c_size_t(count), *scale), function, count)

    def values(self, function, count):
        result = np.zeros(count, KINDS[function][0])
        host = result.ctypes.data_as(c.c_void_p)
        if self.on_host:
            self.put(function, host, count)
        else:
            place = memory(result.nbytes)
            self.put(function, place, count)
            ok(runtime.cudaMemcpy(host, place, c.c_size_t(result.nbytes), 2))
            ok(runtime.cudaFree(place))
        return result


def memory(size):
    place = c.c_void_p()
    ok(runtime.cudaMalloc(c.byref(place), c.c_size_t(size)))
    return place


def same(ours, theirs, *what):
    assert ours.tobytes() == theirs.tobytes(), (what, np.flatnonzero(ours != theirs)[:5])


def sequences(kind, ordering):
    """Calls of all kinds one after the other, whose lengths break what is made at a time."""
    seed, dimensions = (3 << 32) + 7, 1 if kind < SOBOL32 else 4
    offset = 0 if kind in (MTGP32, MT19937) else 100_003
    lengths = (8,) if FEW else (8, 20_000) if kind == MT19937 else (4, 6_000, 70_000)
    here = [Generator(own, kind, on_host, ordering, seed, offset, dimensions) for on_host in (False, True)]
    there = Generator(nvidia, kind, True, ordering, seed, offset, dimensions)
    for length in lengths:
        for function in kinds(kind):
            # Normal values of two generators come in pairs, all of quasi-random ones by dimension.
            odd = kind < SOBOL32 and not (kind in (XORWOW, MRG32K3A) and "Normal" in function)
            theirs = there.values(function, length + odd)
            for generator in here:
                same(generator.values(function, length + odd), theirs, kind, ordering, function, length, generator.on_host)


def poisson(kind):
    """Poisson values, of means on both sides of those at which NVIDIA's library takes another way."""
    means = (0.5, 9.9, 10.0, 31.9, 32.0, 1500.0, 2000.0, 8000.0, 50_000.0)
    # MT19937 takes long to begin.
    for mean in means[::4] if kind == MT19937 else means:
        generators = [Generator(library, kind, on_host, QUASI if kind >= SOBOL32 else DEFAULT, 5)
                      for library, on_host in ((own, True), (own, False), (nvidia, True))]
        # XORWOW has 4,096 streams, which keep the second of two normal values for the next call.
        for length in (999, 6_000):
            found = []
            for generator in generators:
                place = memory(4 * length) if not generator.on_host else None
                values = np.zeros(length, "u4")
                host = values.ctypes.data_as(c.c_void_p)
                ok(generator.library.curandGeneratePoisson(
                    generator.handle, place or host, c.c_size_t(length), c.c_double(mean)))
                if place:
                    ok(runtime.cudaMemcpy(host, place, c.c_size_t(4 * length), 2))
                    ok(runtime.cudaFree(place))
                found.append(values)
            same(found[0], found[2], kind, mean, length, "host")
            same(found[1], found[2], kind, mean, length, "device")


def scrambled():
    """Scrambled Sobol' sequences: each 256th of [0, 1] has one of the first 256 values, in another order than without."""
    count, dimensions = 256, 3
    for kind, plain, width, draw in ((202, SOBOL32, "u4", "curandGenerate"), (204, SOBOL64, "u8", "curandGenerateLongLong")):
        generators = [Generator(own, which, False, QUASI, dimensions=dimensions) for which in (kind, plain)]
        values, unscrambled = (generator.values(draw, count * dimensions) for generator in generators)
        upper = (values >> np.dtype(width).type(8 * np.dtype(width).itemsize - 8)).reshape(dimensions, count)
        assert all(sorted(row) == list(range(count)) for row in upper.tolist()), kind
        assert (values != unscrambled).mean() > 0.9, kind
        # What programs' kernels get makes the same values.
        vectors, constants = c.c_void_p(), c.c_void_p()
        bits = 32 if width == "u4" else 64
        ok(getattr(own, f"curandGetDirectionVectors{bits}")(c.byref(vectors), 102 if bits == 32 else 104))
        ok(getattr(own, f"curandGetScrambleConstants{bits}")(c.byref(constants)))
        number = c.c_uint32 if bits == 32 else c.c_uint64
        rows = np.ctypeslib.as_array((number * (bits * dimensions)).from_address(vectors.value)).reshape(dimensions, bits)
        shifts = np.ctypeslib.as_array((number * dimensions).from_address(constants.value))
        found = values.reshape(dimensions, count)
        assert (found[:, 0] == shifts).all() and (found[:, 1] == shifts ^ rows[:, 0]).all(), kind


def streams():
    """Values are made in the stream's order; a captured call runs when its graph is launched, and goes on."""
    stream, graph, executable = c.c_void_p(), c.c_void_p(), c.c_void_p()
    ok(runtime.cudaStreamCreateWithFlags(c.byref(stream), 1))
    count = 5_000
    generator, there = Generator(own, PHILOX, False, DEFAULT, 5), Generator(nvidia, PHILOX, True, DEFAULT, 5)
    ok(own.curandSetStream(generator.handle, stream))
    place, result = memory(4 * count), np.zeros(count, "u4")
    host = result.ctypes.data_as(c.c_void_p)

    def get():
        ok(runtime.cudaMemcpyAsync(host, place, c.c_size_t(4 * count), 2, stream))
        ok(runtime.cudaStreamSynchronize(stream))
        return result

    generator.put("curandGenerate", place, count)
    first = there.values("curandGenerate", count)
    same(get(), first, "stream")
    ok(runtime.cudaStreamBeginCapture(stream, 0))
    generator.put("curandGenerate", place, count)
    ok(runtime.cudaStreamEndCapture(stream, c.byref(graph)))
    same(get(), first, "a captured call does not run")
    ok(runtime.cudaGraphInstantiate(c.byref(executable), graph, c.c_ulonglong(0)))
    for launch in range(3):
        ok(runtime.cudaGraphLaunch(executable, stream))
        same(get(), there.values("curandGenerate", count), "launch", launch)
    ok(runtime.cudaGraphExecDestroy(executable))
    ok(runtime.cudaGraphDestroy(graph))
    ok(runtime.cudaFree(place))


def statuses(library):
    """Answers to calls of generators on the host, most of them wrong."""
    handle, place = c.c_void_p(), np.zeros(64, "f8").ctypes.data_as(c.c_void_p)
    yield [library.curandCreateGeneratorHost(c.byref(c.c_void_p()), kind) for kind in (1, 99, 205, -1)]
    for kind in (XORWOW, MTGP32, PHILOX, SOBOL32, SOBOL64):
        yield kind, library.curandCreateGeneratorHost(c.byref(handle), kind)
        yield [library.curandSetGeneratorOrdering(handle, ordering) for ordering in (99, 104, 105, 200, 202)]
        yield [library.curandSetQuasiRandomGeneratorDimensions(handle, dimensions) for dimensions in (0, 20_001)]
        if kind < SOBOL32:
            yield library.curandSetQuasiRandomGeneratorDimensions(handle, 2)
        else:
            yield library.curandSetPseudoRandomGeneratorSeed(handle, c.c_ulonglong(1))
            yield library.curandSetQuasiRandomGeneratorDimensions(handle, 3)
            yield library.curandGenerateUniform(handle, place, c.c_size_t(4))
        yield library.curandGenerateNormal(handle, place, c.c_size_t(3), *SCALE)
        yield library.curandGenerateUniform(handle, place, c.c_size_t(0))
        yield [getattr(library, function)(handle, place, c.c_size_t(6), *KINDS[function][1]) for function in KINDS]
        yield library.curandDestroyGenerator(handle)
    ok(library.curandCreateGeneratorHost(c.byref(handle), XORWOW))
    means = (0.0, -1.0, 400_000.0, 400_001.0)
    yield [library.curandGeneratePoisson(handle, place, c.c_size_t(3), c.c_double(mean)) for mean in means]
    ok(library.curandDestroyGenerator(handle))
    number = c.c_int()
    yield [library.curandGetProperty(which, c.byref(number)) for which in (0, 1, 2, 3)]


for kind, orderings in ORDERINGS.items():
    for ordering in orderings[:1] if FEW else orderings:
        if not (FEW and kind == MT19937):
            sequences(kind, ordering)
streams()
scrambled()
if not FEW:
    for kind in ORDERINGS:
        poisson(kind)
    for ours, theirs in zip(statuses(own), statuses(nvidia), strict=True):
        assert ours == theirs, (ours, theirs)
ok(runtime.cudaDeviceSynchronize())
print("equal")
