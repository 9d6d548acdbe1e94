"""CuPy's arrays, decompositions and transforms on NVIDIA's own libraries from PyPI; NumPy computes the same.

CuPy lets NVRTC make machine code, unless it is told to take PTX. NVIDIA's libraries bring PTX for capability 13.0."""

import ctypes
import os

os.environ.setdefault("ZLUDA_CC", "13.0")
os.environ["CUPY_COMPILE_WITH_PTX"] = "1"
for name in ("nvJitLink.so.13", "cublasLt.so.13", "cublas.so.13", "cufft.so.12", "cusparse.so.12", "cusolver.so.12"):
    ctypes.CDLL(os.path.join(os.environ["NVIDIA_LIBRARIES"], f"lib{name}"), mode=ctypes.RTLD_GLOBAL)

import cupy as cp
import numpy as np

random = np.random.default_rng(1)
square = random.random((50, 50)) + 5 * np.eye(50)


def same(name, function, *arrays):
    """The same function of both packages."""
    found = cp.asnumpy(function(cp, *map(cp.asarray, arrays)))
    wanted = function(np, *arrays)
    error = np.abs(found - wanted).max()
    assert found.shape == wanted.shape and error <= 1e-12 * max(1, np.abs(wanted).max()), (name, error)


same("sum", lambda np, a: np.sqrt(a + 1).sum(axis=1), square)
same("product", lambda np, a: a @ a, square)
if not os.environ.get("ZLUDA_DEVICE", "").startswith("emu"):
    same("transform", lambda np, a: np.fft.fft2(a), square)
    same("solve", lambda np, a: np.linalg.solve(a, a[:, 0]), square)
    same("inverse", lambda np, a: np.linalg.inv(a), square)
    same("eigenvalues", lambda np, a: np.linalg.eigvalsh(a + a.T), square)
    same("singular values", lambda np, a: np.linalg.svd(a, compute_uv=False), square)
    same("Cholesky", lambda np, a: np.linalg.cholesky(a @ a.T), square)
    same("QR", lambda np, a: np.abs(np.linalg.qr(a)[1]), square)
