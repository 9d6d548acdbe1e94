"""NVIDIA's NCCL with two devices: sums, copies and parts of arrays of both."""

import ctypes as c
import os

os.environ["ZLUDA_DEVICES"] = "2"

import numpy as np
from dense_arrays import Array, ok
from nvidia_packages import call, load

nccl = load("nccl")
nccl.ncclGetErrorString.restype = c.c_char_p
driver = c.CDLL("libcuda.so.1")
FLOAT, SUM = 7, 0
COUNT, DEVICES = 5000, 2
random = np.random.default_rng(7)
values = [random.standard_normal(COUNT).astype(np.float32) for _ in range(DEVICES)]


def run(name, *arguments):
    status = call(nccl, name, *arguments)
    assert status == 0, (name, nccl.ncclGetErrorString(status))


contexts = []
for device in range(DEVICES):
    context = c.c_void_p()
    assert driver.cuDevicePrimaryCtxRetain(c.byref(context), device) == 0
    contexts.append(context)


def on(device):
    assert driver.cuCtxSetCurrent(contexts[device]) == 0


communicators, devices = (c.c_void_p * DEVICES)(), (c.c_int * DEVICES)(*range(DEVICES))
run("ncclCommInitAll", communicators, DEVICES, devices)
sources = []
for device in range(DEVICES):
    on(device)
    sources.append(Array(values[device]))
count = c.c_size_t(COUNT)


def together(name, *arguments):
    results = []
    for device in range(DEVICES):
        on(device)
        results.append(Array(np.zeros(COUNT, np.float32)))
    run("ncclGroupStart")
    for device in range(DEVICES):
        on(device)
        communicator = c.c_void_p(communicators[device])
        run(name, sources[device], results[device], count, FLOAT, *arguments, communicator, None)
    run("ncclGroupEnd")
    found = []
    for device in range(DEVICES):
        on(device)
        assert driver.cuCtxSynchronize() == 0
        found.append(results[device].get())
    return found


for found in together("ncclAllReduce", SUM):
    assert (found == values[0] + values[1]).all()
for found in together("ncclBroadcast", 1):
    assert (found == values[1]).all()
for device in range(DEVICES):
    run("ncclCommDestroy", c.c_void_p(communicators[device]))
print("PASS nvidia_nccl_devices")
