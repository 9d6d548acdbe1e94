"""Calls of the driver API that the programs beside this folder share."""

import numpy as np
from cuda.bindings import driver


def check(result, *values):
    """The values of a call that succeeded, of the driver or of NVRTC."""
    assert int(result) == 0, result
    return values[0] if len(values) == 1 else values


def capability():
    """The compute capability of the device: 80 for 8.0."""
    attributes = driver.CUdevice_attribute
    major = check(*driver.cuDeviceGetAttribute(attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0))
    return 10 * major + check(*driver.cuDeviceGetAttribute(attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0))


def launch(kernel, grid, threads, shared, arguments):
    """Launches; returns the arrays among the arguments as the kernel leaves them."""
    values, places = [], []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            place = check(*driver.cuMemAlloc(argument.nbytes))
            check(*driver.cuMemcpyHtoD(place, argument.ctypes.data, argument.nbytes))
            places.append((place, argument))
            argument = np.uint64(int(place))
        values.append(np.array([argument]))
    pointers = np.array([value.ctypes.data for value in values], dtype=np.uint64)
    check(*driver.cuLaunchKernel(kernel, *grid, threads, 1, 1, shared, 0, pointers.ctypes.data, 0))
    results = []
    for place, array in places:
        result = np.empty_like(array)
        check(*driver.cuMemcpyDtoH(result.ctypes.data, place, array.nbytes))
        check(*driver.cuMemFree(place))
        results.append(result)
    return results
