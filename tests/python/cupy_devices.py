"""CuPy on two devices, with NVIDIA's own libraries: arrays of each, copies between them, peer access, streams and events."""

import ctypes
import os

os.environ.setdefault("ZLUDA_CC", "13.0")
os.environ["ZLUDA_DEVICES"] = "2"
os.environ["CUPY_COMPILE_WITH_PTX"] = "1"
for name in ("cublasLt.so.13", "cublas.so.13"):
    ctypes.CDLL(os.path.join(os.environ["NVIDIA_LIBRARIES"], f"lib{name}"), mode=ctypes.RTLD_GLOBAL)

import cupy as cp
import numpy as np

assert cp.cuda.runtime.getDeviceCount() == 2
square = np.random.default_rng(2).random((60, 60))
arrays = []
for number in range(2):
    with cp.cuda.Device(number):
        arrays.append(cp.asarray(square) * (number + 1))
        assert arrays[-1].device.id == number
for number in range(2):
    with cp.cuda.Device(number):
        product = cp.asnumpy(arrays[number] @ arrays[number])
        assert np.allclose(product, square @ square * (number + 1) ** 2, rtol=1e-12)
# A copy, by the peer functions of the runtime.
with cp.cuda.Device(0):
    copied = cp.asarray(arrays[1])
    assert copied.device.id == 0
    assert (cp.asnumpy(copied) == square * 2).all()
    assert cp.cuda.runtime.deviceCanAccessPeer(0, 1)
    # CuPy itself has let the one access the other.
    assert (cp.asnumpy(cp.sqrt(arrays[1])) == np.sqrt(square * 2)).all()
# Work of one device after that of the other.
with cp.cuda.Device(0):
    first, event = cp.cuda.Stream(non_blocking=True), cp.cuda.Event()
    with first:
        total = arrays[0].sum()
        event.record(first)
with cp.cuda.Device(1):
    second = cp.cuda.Stream(non_blocking=True)
    second.wait_event(event)
    with second:
        copied = cp.asarray(total)
    second.synchronize()
    assert np.isclose(cp.asnumpy(copied), square.sum(), rtol=1e-12)
print("PASS cupy_devices")
