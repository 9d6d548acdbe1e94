"""NVRTC compiles C++ of many kinds to PTX; all of its kernels load, some run, two modules are linked, and NumPy
computes the same. `CUDA_HEADERS` is the folder of CUDA's headers."""

import os
from pathlib import Path

import numpy as np
from cuda.bindings import driver, nvrtc
from driver_calls import capability, check, launch

HEADERS = os.environ["CUDA_HEADERS"]
SOURCES = Path(__file__).parent / "nvrtc"


def compiled(name, architecture, *options):
    """PTX, ended by NUL."""
    path = SOURCES / f"{name}.cu"
    program = check(*nvrtc.nvrtcCreateProgram(path.read_bytes(), str(path).encode(), 0, [], []))
    words = [f"--gpu-architecture=compute_{architecture}", "-std=c++17", "--device-int128", f"-I{HEADERS}",
             f"-I{HEADERS}/cccl", *options]
    result, = nvrtc.nvrtcCompileProgram(program, len(words), [word.encode() for word in words])
    log = b" " * check(*nvrtc.nvrtcGetProgramLogSize(program))
    nvrtc.nvrtcGetProgramLog(program, log)
    assert result == nvrtc.nvrtcResult.NVRTC_SUCCESS, log.decode()
    text = b" " * check(*nvrtc.nvrtcGetPTXSize(program))
    check(*nvrtc.nvrtcGetPTX(program, text))
    return text


def run(kernel, grid, block, *arguments, shared=0):
    return launch(kernel, (grid, 1, 1), block, shared, arguments)


class Library:
    def __init__(self, image):
        self.library = check(*driver.cuLibraryLoadData(image, [], [], 0, [], [], 0))

    def kernel(self, name):
        return check(*driver.cuLibraryGetKernel(self.library, name.encode()))

    def names(self):
        count = check(*driver.cuLibraryGetKernelCount(self.library))
        return [check(*driver.cuKernelGetName(kernel)).decode()
                for kernel in check(*driver.cuLibraryEnumerateKernels(count, self.library))]


check(*driver.cuInit(0))
check(*driver.cuCtxSetCurrent(check(*driver.cuDevicePrimaryCtxRetain(0))))
random = np.random.RandomState(11)

# What the device says it is, as programs choose that do not ask NVRTC what it knows.
Library(compiled("language", capability()))
language = Library(compiled("language", 75))
debug = Library(compiled("language", 90, "-G"))
assert set(language.names()) == set(debug.names()) and len(language.names()) == 12, language.names()
for library in (language, debug):
    x = random.randint(-9, 9, 32).astype(np.float32)
    out = run(library.kernel("dots"), 1, 20, x, np.zeros((20, 2)))[1]
    np.testing.assert_array_equal(out[:, 0], [x[:7] @ x[i : i + 7] for i in range(20)])
    np.testing.assert_array_equal(out[:, 1], [x[i % 7] for i in range(20)])
    np.testing.assert_array_equal(run(library.kernel("shapes"), 1, 40, np.zeros(40, np.float32), np.int32(3))[0], [27, 9] * 20)
    fibonacci = [0, 1]
    while len(fibonacci) < 15:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    np.testing.assert_array_equal(run(library.kernel("recursion"), 1, 15, np.zeros(15, np.int32))[0], fibonacci)
    x = np.array([0, 1, 2, 3, 900, -4, 6, 7], np.int32)
    np.testing.assert_array_equal(run(library.kernel("switches"), 1, 8, x)[0], [5, 10, 3, 9, 1, -1, -1, -1])
    words = [3, (1 << 100) + 12345, 987654321, 1 << 90, 0]
    given = np.array([word >> shift & (1 << 64) - 1 for word in words for shift in (0, 64)], np.uint64)
    out = [int(low) | int(high) << 64 for low, high in run(library.kernel("wide_integers"), 1, 1, given)[0].reshape(5, 2)]
    assert out[0] == (words[1] * words[2] + (words[3] >> 5)) % (1 << 128) and out[4] == words[1] // words[2], out
    x = random.randn(256)
    got = run(library.kernel("local_array"), 1, 6, x)[0][:6]
    np.testing.assert_allclose(got, [sum(x[(i * 7 + t) % 40 * t] for i in range(40)) for t in range(6)], rtol=1e-12, atol=1e-12)

Library(compiled("narrow", 90))
Library(compiled("functions", 75, "-lineinfo"))
fast = Library(compiled("functions", 80, "--use_fast_math"))
assert sorted(fast.names()) == ["doubles", "integers", "singles"]

together = Library(compiled("together", 90))
x = random.randint(0, 1000, 256).astype(np.int32)
np.testing.assert_array_equal(run(together.kernel("barriers"), 1, 128, x, np.zeros(128, np.int32))[1], x[127::-1])
np.testing.assert_array_equal(run(together.kernel("copies"), 1, 256, x, np.zeros(256, np.int32))[1], x[::-1])
out = run(together.kernel("coalesced"), 1, 32, np.zeros(65, np.int32))[0]
assert out[0] == 21 and sorted(out[1:22]) == [i for i in range(32) if i % 3], out
HAS_CLUSTERS = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH
if check(*driver.cuDeviceGetAttribute(HAS_CLUSTERS, 0)):
    np.testing.assert_array_equal(run(together.kernel("clusters"), 4, 32, np.zeros(4, np.int32))[0], [6, 5, 6, 5])

matrices = Library(compiled("matrices", 80))
a, b = random.randn(16, 16).astype(np.float16), random.randn(16, 16).astype(np.float16)
c = run(matrices.kernel("wmma_half"), 1, 32, a, b, np.zeros((16, 16), np.float32))[2]
np.testing.assert_allclose(c, a.astype(np.float64) @ b.T.astype(np.float64), rtol=1e-3, atol=1e-3)
a, b = random.randint(-99, 99, (32, 16)).astype(np.int8), random.randint(-99, 99, (16, 8)).astype(np.int8)
c = run(matrices.kernel("wmma_integers"), 1, 32, a, b, np.ones((32, 8), np.int32))[2]
np.testing.assert_array_equal(c, 1 + a.astype(np.int32) @ b.astype(np.int32))
a, b = random.randn(8, 4), random.randn(8, 4)
c = run(matrices.kernel("wmma_double"), 1, 32, a, b, np.zeros((8, 8)))[2]
np.testing.assert_allclose(c, a @ b.T, rtol=1e-14, atol=1e-14)

# Modules that are linked, as programs that compile relocatable code at run time do.
link = check(*driver.cuLinkCreate(0, [], []))
for name in ("first", "second"):
    text = compiled(name, 80, "--relocatable-device-code=true")
    check(*driver.cuLinkAddData(link, driver.CUjitInputType.CU_JIT_INPUT_PTX, text, len(text), name.encode(), 0, [], []))
image, size = check(*driver.cuLinkComplete(link))
linked = Library(image)
check(*driver.cuLinkDestroy(link))
x = random.randint(-50, 50, 64).astype(np.float32)
np.testing.assert_array_equal(run(linked.kernel("linked"), 1, 64, x, x)[1], 4 * x + 1)
assert run(linked.kernel("count"), 1, 1, np.zeros(1, np.int32))[0][0] == 164
first = compiled("first", 80, "--relocatable-device-code=true")
failed, _ = driver.cuLibraryLoadData(first, [], [], 0, [], [], 0)
assert failed == driver.CUresult.CUDA_ERROR_INVALID_PTX, failed

# Machine code of some GPUs runs, that of others is of no use here, which is said as the documentation has it.
def cubin(architecture):
    source = b'extern "C" __global__ void k(int *x) { x[threadIdx.x] += 3; }'
    program = check(*nvrtc.nvrtcCreateProgram(source, b"k.cu", 0, [], []))
    check(*nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=" + architecture]))
    code = b" " * check(*nvrtc.nvrtcGetCUBINSize(program))
    check(*nvrtc.nvrtcGetCUBIN(program, code))
    return code


for architecture in (b"sm_80", b"sm_90"):
    lifted = Library(cubin(architecture))
    np.testing.assert_array_equal(run(lifted.kernel("k"), 1, 4, np.arange(4, dtype=np.int32))[0], [3, 4, 5, 6])
failed, _ = driver.cuModuleLoadData(cubin(b"sm_100"))
assert failed == driver.CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU, failed
print("PASS nvrtc_kernels")
