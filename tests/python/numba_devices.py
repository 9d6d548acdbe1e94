"""numba on two devices: kernels, streams, copies between them, and threads that each have one; NumPy computes the same. What
NVML tells where one of them is hidden."""

import os
import subprocess
import sys
import threading

os.environ["ZLUDA_DEVICES"] = "2"

import numpy as np
from numba import cuda


@cuda.jit
def scale(values, factor):
    i = cuda.grid(1)
    if i < values.size:
        values[i] *= factor


values = np.arange(10_000, dtype=np.float32)
assert len(cuda.gpus) == 2
assert len({gpu.uuid for gpu in cuda.list_devices()}) == 2
arrays = []
for number in range(2):
    with cuda.gpus[number]:
        array = cuda.to_device(values)
        scale[100, 100](array, np.float32(number + 2))
        arrays.append(array)
for number in range(2):
    with cuda.gpus[number]:
        assert (arrays[number].copy_to_host() == values * (number + 2)).all()
# From one device's memory to the other's.
with cuda.gpus[0]:
    arrays[0].copy_to_device(arrays[1])
    assert (arrays[0].copy_to_host() == values * 3).all()

results = {}


def work(number):
    cuda.select_device(number)
    stream = cuda.stream()
    array = cuda.to_device(values, stream=stream)
    for _ in range(10):
        scale[100, 100, stream](array, np.float32(number + 1))
    results[number] = array.copy_to_host(stream=stream)
    stream.synchronize()
    cuda.close()


threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for number in range(2):
    expected = values.copy()
    for _ in range(10):
        expected *= np.float32(number + 1)
    assert (results[number] == expected).all(), number

# NVML tells of a device that the driver hides.
HIDING = """
import ctypes as c
driver, nvml = c.CDLL("libcuda.so.1"), c.CDLL("libnvidia-ml.so.1")
count, device, uuid, text = c.c_int(), c.c_void_p(), (c.c_ubyte * 16)(), c.create_string_buffer(96)
assert driver.cuInit(0) == 0 and driver.cuDeviceGetCount(c.byref(count)) == 0 and count.value == 1
assert driver.cuDeviceGetUuid_v2(uuid, 0) == 0
assert nvml.nvmlInit_v2() == 0 and nvml.nvmlDeviceGetCount_v2(c.byref(count)) == 0 and count.value == 2
found = []
for index in range(2):
    assert nvml.nvmlDeviceGetHandleByIndex_v2(index, c.byref(device)) == 0
    assert nvml.nvmlDeviceGetUUID(device, text, 96) == 0
    found.append(text.value.decode().removeprefix("GPU-").replace("-", ""))
assert found[1] == bytes(uuid).hex() != found[0], (found, bytes(uuid).hex())
"""
subprocess.run([sys.executable, "-c", HIDING], env={**os.environ, "CUDA_VISIBLE_DEVICES": "1"}, check=True)
print("PASS numba_devices")
