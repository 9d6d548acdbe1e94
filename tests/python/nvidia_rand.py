"""NVIDIA's cuRAND on the device against its generators on the host, which need no GPU: integers and uniform values are equal in
every bit, normal ones but for rounding."""

import ctypes as c

import numpy as np
from dense_arrays import FEW, Array, host, ok
from nvidia_packages import call, load

rand = load("curand")
COUNT = 5000
# Without MT19937, whose one kernel takes long to compile.
GENERATORS = {"philox": 161, "xorwow": 101, "mrg32k3a": 121, "mtgp32": 141, "sobol32": 201, "sobol64": 203}
QUASI = 200
KINDS = {
    "": (np.uint32, ()),
    "LongLong": (np.uint64, ()),
    "Uniform": (np.float32, ()),
    "UniformDouble": (np.float64, ()),
    "Normal": (np.float32, (c.c_float(1.5), c.c_float(0.7))),
    "NormalDouble": (np.float64, (c.c_double(1.5), c.c_double(0.7))),
}


# Before CUDA 13 the host makes doubles of MTGP32 in single precision.
version = c.c_int()
ok(rand.curandGetVersion(c.byref(version)))


def generator(create, kind):
    made = c.c_void_p()
    ok(create(c.byref(made), kind), kind)
    if kind < QUASI:
        ok(rand.curandSetPseudoRandomGeneratorSeed(made, c.c_ulonglong(42)), kind)
    return made


for name, kind in list(GENERATORS.items())[: 1 if FEW else None]:
    for function, (dtype, parameters) in list(KINDS.items())[: 3 if FEW else None]:
        if function == ("" if name == "sobol64" else "LongLong"):
            continue
        device, reference = generator(rand.curandCreateGenerator, kind), generator(rand.curandCreateGeneratorHost, kind)
        found, wanted, count = Array(np.zeros(COUNT, dtype)), np.zeros(COUNT, dtype), c.c_size_t(COUNT)
        # Twice, so that generators go on where they were.
        for _ in range(2):
            ok(call(rand, f"curandGenerate{function}", device, found, count, *parameters), name, function)
            ok(call(rand, f"curandGenerate{function}", reference, host(wanted), count, *parameters), name, function)
            values = found.get()
            if "Normal" in function:
                error = np.abs(values - wanted).max() / np.abs(wanted).max()
                coarse = (name, function) == ("mtgp32", "NormalDouble") and version.value < 10400
                assert error <= 16 * np.finfo(np.float32 if coarse else dtype).eps, (error, name, function)
            else:
                assert (values == wanted).all(), (name, function)
            assert len(set(wanted)) > COUNT / 2, (name, function)
        ok(rand.curandDestroyGenerator(device))
        ok(rand.curandDestroyGenerator(reference))
print("PASS nvidia_rand")
