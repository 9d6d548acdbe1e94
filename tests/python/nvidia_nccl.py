"""NVIDIA's NCCL with one device: a communicator, collectives, and sums with a factor."""

import ctypes as c

import numpy as np
from dense_arrays import Array, ok
from nvidia_packages import call, load

nccl = load("nccl")
nccl.ncclGetErrorString.restype = c.c_char_p
FLOAT, SUM, AVERAGE = 7, 0, 4
COUNT = 1 << 20
values = np.random.default_rng(6).standard_normal(COUNT).astype(np.float32)


def run(name, *arguments):
    status = call(nccl, name, *arguments)
    assert status == 0, (name, nccl.ncclGetErrorString(status))


communicator, devices = c.c_void_p(), (c.c_int * 1)(0)
run("ncclCommInitAll", c.byref(communicator), 1, devices)
count, source = c.c_size_t(COUNT), Array(values)
for name, arguments in {
    "ncclAllReduce": (SUM,),
    # Of one device too an average is a kernel's.
    "ncclReduce": (AVERAGE, 0),
    "ncclBroadcast": (0,),
    "ncclAllGather": (),
    "ncclReduceScatter": (SUM,),
}.items():
    result = Array(np.zeros_like(values))
    run(name, source, result, count, FLOAT, *arguments, communicator, None)
    assert (result.get() == values).all(), name
# A factor of the program's own.
factor, operation = np.array(0.5, np.float32), c.c_int()
run("ncclRedOpCreatePreMulSum", c.byref(operation), factor, FLOAT, 1, communicator)
result = Array(np.zeros_like(values))
run("ncclAllReduce", source, result, count, FLOAT, operation.value, communicator, None)
assert (result.get() == values * np.float32(0.5)).all()
run("ncclRedOpDestroy", operation.value, communicator)
run("ncclCommDestroy", communicator)
print("PASS nvidia_nccl")
