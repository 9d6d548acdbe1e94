"""NVIDIA's libraries of one version of CUDA, out of the packages that lie in the folders `NVIDIA_PACKAGES`: for the programs
that run them on this driver.

They carry PTX for GPUs that are newer than themselves, which they choose at compute capability 13.0: the programs run at that,
unless `ZLUDA_CC` says otherwise."""

import ctypes as c
import glob
import os

os.environ.setdefault("ZLUDA_CC", "13.0")

# What a library needs, and no search path leads to.
NEEDS = {
    "cublasLt": ["cudart"],
    "cublas": ["cublasLt"],
    "cusparse": ["nvJitLink"],
    "cusolver": ["cublas", "cusparse"],
    "cudnn": ["cublas"],
    "nccl": ["cudart"],
}
loaded = {}


def load(name):
    """A library by its name without a version, and before it those that it needs."""
    if name not in loaded:
        for other in NEEDS.get(name, []):
            load(other)
        folders = os.environ["NVIDIA_PACKAGES"].split(os.pathsep)
        found = [path for folder in folders for path in glob.glob(os.path.join(folder, f"*/lib/lib{name}.so.*"))]
        assert len(found) == 1, (name, found)
        loaded[name] = c.CDLL(found[0], mode=c.RTLD_GLOBAL)
    return loaded[name]


def call(library, name, *arguments):
    """A call with Python's numbers, addresses and arrays for arguments: those of NumPy lie on the host."""

    def plain(value):
        if hasattr(value, "address"):
            return value.address
        return value.ctypes.data_as(c.c_void_p) if hasattr(value, "ctypes") else value

    return getattr(library, name)(*map(plain, arguments))
