"""NVIDIA's cuBLASLt against NumPy: products with bias, ReLU, GELU and their gradients, in single and 16 bits."""

import ctypes as c

import numpy as np
from dense_arrays import FEW, Array, N, T, ok
from nvidia_packages import call, load

light = load("cublasLt")
random = np.random.default_rng(2)
handle = c.c_void_p()
F32, F16, BF16, COMPUTE_32F = 0, 2, 14, 68
# Attributes of a product.
TRANSPOSE_A, EPILOGUE, BIAS, AUXILIARY, AUXILIARY_STEP = 3, 7, 8, 11, 12
DEFAULT, RELU, WITH_BIAS, GELU, AUX, DRELU, DGELU = 1, 2, 4, 32, 128, 136, 192
WORKSPACE = 32 << 20


class Object:
    """An object of cuBLASLt, with attributes by number."""

    def __init__(self, name, *arguments):
        self.name, self.address = name, c.c_void_p()
        ok(call(light, f"cublasLt{name}Create", c.byref(self.address), *arguments))

    def set(self, attribute, value):
        ok(call(light, f"cublasLt{self.name}SetAttribute", self, attribute, value, c.c_size_t(value.nbytes)), attribute)

    def __del__(self):
        ok(call(light, f"cublasLt{self.name}Destroy", self))


def layout(shape, type):
    rows, columns = shape
    return Object("MatrixLayout", type, c.c_uint64(rows), c.c_uint64(columns), c.c_int64(rows))


def matmul(factors, type, shape, attributes, *what):
    """A product of matrices of a type, by the first of the algorithms that the library finds."""
    description = Object("MatmulDesc", COMPUTE_32F, F32)
    for attribute, value in attributes.items():
        description.set(attribute, value)
    a, b = factors
    result = Array(np.zeros(shape, a.like.dtype))
    layouts = [layout(array.like.shape, type) for array in (a, b, result, result)]
    preference, workspace = Object("MatmulPreference"), Array(np.zeros(WORKSPACE, np.uint8))
    preference.set(1, np.array([WORKSPACE], np.uint64))
    found, count = np.zeros(12, np.uint64), np.zeros(1, np.int32)
    arguments = (handle, description, *layouts, preference, 1, found, count)
    ok(call(light, "cublasLtMatmulAlgoGetHeuristic", *arguments), *what)
    assert count[0] == 1, what
    one, zero = np.array(1, np.float32), np.array(0, np.float32)
    places = (a, layouts[0], b, layouts[1], zero, result, layouts[2], result, layouts[3])
    tail = (found, workspace, c.c_size_t(WORKSPACE), None)
    ok(call(light, "cublasLtMatmul", handle, description, one, *places, *tail), *what)
    return wide(result.get(), type)


def narrow(values, type):
    """Numbers of a type, and what they are in double precision."""
    if type == BF16:
        kept = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    else:
        kept = values.astype(np.float16 if type == F16 else np.float32)
    return Array(kept), wide(kept, type)


def wide(values, type):
    if type == BF16:
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.float64)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def close(found, wanted, type, *what):
    """Within a rounding to the type, and those of the sums; GELU's slope is known to three digits."""
    error = np.abs(found - wanted).max() / np.abs(wanted).max()
    assert error <= {F32: 2e-3, F16: 4e-3, BF16: 2e-2}[type], (error, *what)


def word(value):
    return np.array([value], np.int32)


def long(value):
    return np.array([value], np.int64)


ok(light.cublasLtCreate(c.byref(handle)))
# Signs are kept in columns of at least 128 bits.
m, n, k = 128, 48, 96
for type in (F32,) if FEW else (F32, F16, BF16):
    for transposed in (N, T):
        a, wide_a = narrow(random.standard_normal((k, m) if transposed else (m, k)), type)
        b, wide_b = narrow(random.standard_normal((k, n)), type)
        bias, wide_bias = narrow(random.standard_normal(m), type)
        product = (wide_a.T if transposed else wide_a) @ wide_b
        biased = product + wide_bias[:, None]
        for epilogue, wanted in {
            DEFAULT: product, RELU: np.maximum(product, 0), WITH_BIAS: biased, RELU | WITH_BIAS: np.maximum(biased, 0),
            GELU: gelu(product), GELU | WITH_BIAS: gelu(biased),
        }.items():  # fmt: skip
            attributes = {TRANSPOSE_A: word(transposed), EPILOGUE: word(epilogue)}
            if epilogue & WITH_BIAS:
                attributes[BIAS] = long(bias.address.value)
            found = matmul((a, b), type, (m, n), attributes, type, transposed, epilogue)
            close(found, wanted, type, type, transposed, epilogue)
    if type == F32:
        continue
    # Signs and arguments are kept for the gradients.
    signs = Array(np.zeros((m // 8, n), np.uint8))
    attributes = {EPILOGUE: word(RELU | AUX), AUXILIARY: long(signs.address.value), AUXILIARY_STEP: long(m)}
    attributes[TRANSPOSE_A] = word(T)
    close(matmul((a, b), type, (m, n), attributes, "signs"), np.maximum(product, 0), type, "signs", type)
    bits = np.unpackbits(signs.get(), axis=0, bitorder="little")
    sure = np.abs(product) > 1e-2
    assert (bits == (product > 0))[sure].all(), type
    attributes[EPILOGUE] = word(DRELU)
    close(matmul((a, b), type, (m, n), attributes, "slopes"), np.where(bits, product, 0), type, "slopes", type)
ok(light.cublasLtDestroy(handle))
print("PASS nvidia_blaslt")
