"""NVRTC is asked for machine code, as CuPy and PyTorch ask it: what the audit library lets it give runs all the same."""

import os
import sys
from pathlib import Path

STAGED = os.environ["LD_LIBRARY_PATH"].split(":")[0]
if "LD_AUDIT" not in os.environ:
    os.environ["LD_AUDIT"] = f"{STAGED}/libzluda_ld.so"
    os.execv(sys.executable, [sys.executable, *sys.argv])

import numpy as np
from cuda.bindings import driver, nvrtc
from driver_calls import check, launch

SOURCE = b"""
extern "C" __global__ void scale(float *values, float factor) {
    values[threadIdx.x] *= factor + __CUDA_ARCH__;
}
"""
OK = nvrtc.nvrtcResult.NVRTC_SUCCESS


def compiled(*words):
    program = check(*nvrtc.nvrtcCreateProgram(SOURCE, b"scale.cu", 0, [], []))
    check(*nvrtc.nvrtcCompileProgram(program, len(words), list(words)))
    return program


def cubin(program):
    code = b" " * check(*nvrtc.nvrtcGetCUBINSize(program))
    check(*nvrtc.nvrtcGetCUBIN(program, code))
    return code


check(*driver.cuInit(0))
check(*driver.cuCtxSetCurrent(check(*driver.cuDevicePrimaryCtxRetain(0))))
values = np.arange(32, dtype=np.float32)
for number, *words in [
    (80, b"--gpu-architecture=sm_80", b"-lineinfo"),
    (90, b"-arch=sm_90a"),
    (75, b"-std=c++17", b"-arch", b"sm_75"),
    (86, b"--gpu-architecture", b"sm_86"),
    (80, b"--gpu-architecture=compute_80"),
]:
    code = cubin(compiled(*words))
    assert code.startswith(b"\x7fELF") and code[48] == number, (words, code[:64])
    assert f".target sm_{number}".encode() in code
    kernel = check(*driver.cuModuleGetFunction(check(*driver.cuModuleLoadData(code)), b"scale"))
    (result,) = launch(kernel, (1, 1, 1), 32, 0, [values, np.float32(0.5)])
    np.testing.assert_array_equal(result, values * np.float32(10 * number + 0.5))
    # A file of it serves too, and tools see what kind of a file it is.
    path = Path(os.environ["HOME"]) / "scale.cubin"
    path.write_bytes(code)
    check(*driver.cuModuleLoad(str(path).encode()))
    path.write_bytes(code[:-100])
    assert driver.cuModuleLoad(str(path).encode())[0] == driver.CUresult.CUDA_ERROR_INVALID_IMAGE

# What is wrong stays wrong.
program = check(*nvrtc.nvrtcCreateProgram(b"__global__ void broken( {", b"broken.cu", 0, [], []))
assert nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=sm_80"])[0] == nvrtc.nvrtcResult.NVRTC_ERROR_COMPILATION
assert nvrtc.nvrtcGetCUBINSize(program)[0] != OK or nvrtc.nvrtcGetCUBINSize(program)[1] == 0
program = compiled(b"-arch=sm_80")
assert nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=sm_7"])[0] == nvrtc.nvrtcResult.NVRTC_ERROR_INVALID_OPTION
assert nvrtc.nvrtcCompileProgram(program, 1, [b"-arch"])[0] == nvrtc.nvrtcResult.NVRTC_ERROR_INVALID_OPTION
