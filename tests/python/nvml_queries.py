"""What tools ask the management library (NVML): nvidia-ml-py by every function that asks a device alone, nvitop and
gpustat as they are, and nvtop. Linux and the driver say the same."""

import ctypes
import fcntl
import json
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time

import nvitop
import pynvml as nvml

cuda = ctypes.CDLL("libcuda.so.1")
library = ctypes.CDLL("libnvidia-ml.so.1")


def attempt(function, *arguments):
    """The answer, or None for what the device does not have."""
    try:
        return function(*arguments)
    except nvml.NVMLError as error:
        assert error.value in (nvml.NVML_ERROR_NOT_SUPPORTED, nvml.NVML_ERROR_NOT_FOUND), (function, error)
        return None


def linux(name):
    """A line of /proc/meminfo, in bytes."""
    for line in open("/proc/meminfo"):
        key, value = line.split(":")
        if key == name:
            return int(value.split()[0]) * 1024
    raise AssertionError(name)


def check_before_the_start():
    """Asked directly: nvidia-ml-py answers these itself."""
    count, device = ctypes.c_uint(), ctypes.c_void_p()
    uninitialised = (
        library.nvmlDeviceGetCount_v2(ctypes.byref(count)),
        library.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)),
        library.nvmlShutdown(),
    )
    assert set(uninitialised) == {nvml.NVML_ERROR_UNINITIALIZED}, uninitialised
    library.nvmlErrorString.restype = ctypes.c_char_p
    assert library.nvmlErrorString(nvml.NVML_ERROR_INSUFFICIENT_SIZE) == b"Insufficient Size"
    assert library.nvmlErrorString(12345) == b"Unknown Error"


def check_identity(device):
    driver = ctypes.create_string_buffer(256)
    assert cuda.cuInit(0) == 0
    assert cuda.cuDeviceGetName(driver, 256, 0) == 0
    assert nvml.nvmlDeviceGetName(device) == driver.value.decode()
    uuid = (ctypes.c_ubyte * 16)()
    assert cuda.cuDeviceGetUuid_v2(uuid, 0) == 0
    text = nvml.nvmlDeviceGetUUID(device)
    assert text.replace("-", "").lower() == "gpu" + bytes(uuid).hex(), text
    assert cuda.cuDeviceGetPCIBusId(driver, 256, 0) == 0
    bus = nvml.nvmlDeviceGetPciInfo(device)
    assert bus.busIdLegacy.lower() == driver.value.decode().lower(), bus
    assert nvml.nvmlDeviceGetIndex(device) == 0
    extended = nvml.nvmlPciInfoExt_v1_t(version=nvml.nvmlPciInfoExt_v1)
    nvml.nvmlDeviceGetPciInfoExt(device, ctypes.byref(extended))
    assert (extended.domain, extended.bus, extended.device) == (bus.domain, bus.bus, bus.device)
    assert extended.busId == bus.busId, extended
    for again in (
        nvml.nvmlDeviceGetHandleByUUID(text),
        nvml.nvmlDeviceGetHandleByUUID(text.removeprefix("GPU-")),
        nvml.nvmlDeviceGetHandleByUUIDV(text.encode(), nvml.NVML_UUID_TYPE_ASCII),
        nvml.nvmlDeviceGetHandleByUUIDV(bytes(uuid), nvml.NVML_UUID_TYPE_BINARY),
        nvml.nvmlDeviceGetHandleByPciBusId(bus.busId),
        nvml.nvmlDeviceGetHandleByPciBusId(bus.busIdLegacy),
    ):
        assert ctypes.addressof(again.contents) == ctypes.addressof(device.contents)
    major, minor = ctypes.c_int(), ctypes.c_int()
    assert cuda.cuDeviceComputeCapability(ctypes.byref(major), ctypes.byref(minor), 0) == 0
    assert nvml.nvmlDeviceGetCudaComputeCapability(device) == (major.value, minor.value)
    version = ctypes.c_int()
    assert cuda.cuDriverGetVersion(ctypes.byref(version)) == 0
    assert nvml.nvmlSystemGetCudaDriverVersion_v2() == version.value
    release = nvml.nvmlSystemGetDriverVersion().split(".")[0]
    assert nvml.nvmlSystemGetDriverBranch().branch.startswith(f"r{release}_")
    short = ctypes.create_string_buffer(2)
    assert library.nvmlDeviceGetName(device, short, 2) == nvml.NVML_ERROR_INSUFFICIENT_SIZE


def check_readings(device):
    memory = nvml.nvmlDeviceGetMemoryInfo(device)
    assert memory.total == memory.free + memory.used
    assert 0 < memory.total <= linux("MemTotal"), memory
    newer = nvml.nvmlDeviceGetMemoryInfo(device, version=nvml.nvmlMemory_v2)
    assert newer.total == newer.free + newer.used + newer.reserved
    rates = nvml.nvmlDeviceGetUtilizationRates(device)
    assert 0 <= rates.gpu <= 100 and 0 <= rates.memory <= 100
    degrees = attempt(nvml.nvmlDeviceGetTemperature, device, nvml.NVML_TEMPERATURE_GPU)
    assert degrees is None or 0 < degrees < 130, degrees
    clock = attempt(nvml.nvmlDeviceGetClockInfo, device, nvml.NVML_CLOCK_SM)
    most = attempt(nvml.nvmlDeviceGetMaxClockInfo, device, nvml.NVML_CLOCK_SM)
    assert clock is None or 100 < clock < 10000, clock
    assert most is None or 100 < most < 10000, most
    power = attempt(nvml.nvmlDeviceGetPowerUsage, device)
    assert power is None or 0 <= power < 2_000_000, power
    values = nvml.nvmlDeviceGetFieldValues(device, [nvml.NVML_FI_DEV_POWER_INSTANT, 9999])
    assert values[1].nvmlReturn == nvml.NVML_ERROR_NOT_SUPPORTED
    assert (values[0].nvmlReturn == nvml.NVML_SUCCESS) == (power is not None)
    # Whatever else a tool may ask of a device: an answer, or that there is none.
    names = [name for name in dir(nvml) if name.startswith("nvmlDeviceGet") and "Handle" not in name]
    for name in names:
        function = getattr(nvml, name)
        if function.__code__.co_argcount - len(function.__defaults__ or ()) == 1:
            attempt(function, device)


def bits(words):
    return {64 * i + bit for i, word in enumerate(words) for bit in range(64) if word >> bit & 1}


def check_locality(device):
    """The processors that the process may use, as Linux has them, and the nodes of their memory."""
    usable, words = os.sched_getaffinity(0), os.cpu_count() // 64 + 1
    for scope in (nvml.NVML_AFFINITY_SCOPE_NODE, nvml.NVML_AFFINITY_SCOPE_SOCKET):
        assert bits(nvml.nvmlDeviceGetCpuAffinityWithinScope(device, words, scope)) == usable
        nodes = bits(nvml.nvmlDeviceGetMemoryAffinity(device, 16, scope))
        assert nodes and all(os.path.isdir(f"/sys/devices/system/node/node{node}") for node in nodes - {0}), nodes
    one = min(usable)
    os.sched_setaffinity(0, {one})
    assert bits(nvml.nvmlDeviceGetCpuAffinity(device, words)) == usable
    nvml.nvmlDeviceSetCpuAffinity(device)
    assert os.sched_getaffinity(0) == usable
    os.sched_setaffinity(0, {one})
    nvml.nvmlDeviceClearCpuAffinity(device)
    assert os.sched_getaffinity(0) >= usable
    os.sched_setaffinity(0, usable)
    near = nvml.nvmlSystemGetTopologyGpuSet(one)
    assert [ctypes.addressof(other.contents) for other in near] == [ctypes.addressof(device.contents)]
    assert nvml.nvmlDeviceGetTopologyNearestGpus(device, nvml.NVML_TOPOLOGY_SYSTEM) == []
    assert nvml.nvmlDeviceGetTopologyCommonAncestor(device, device) == nvml.NVML_TOPOLOGY_INTERNAL


def fails(status, function, *arguments):
    try:
        function(*arguments)
    except nvml.NVMLError as error:
        assert error.value == status, (function, error)
    else:
        raise AssertionError(function)


def check_events(device):
    """Those that do not come are waited for in vain, and those of which nobody would know are refused."""
    events = nvml.nvmlEventSetCreate()
    nvml.nvmlDeviceRegisterEvents(device, nvml.nvmlEventTypeXidCriticalError, events)
    fails(nvml.NVML_ERROR_NOT_SUPPORTED, nvml.nvmlDeviceRegisterEvents, device, nvml.nvmlEventTypeClock, events)
    begun = time.monotonic()
    fails(nvml.NVML_ERROR_TIMEOUT, nvml.nvmlEventSetWait_v2, events, 50)
    assert time.monotonic() - begun >= 0.05
    nvml.nvmlEventSetFree(events)
    created = nvml.c_nvmlSystemEventSetCreateRequest_v1_t()
    assert library.nvmlSystemEventSetCreate(ctypes.byref(created)) == nvml.NVML_SUCCESS
    asked = nvml.c_nvmlSystemRegisterEventRequest_v1_t()
    asked.set, asked.eventTypes = created.set, 3
    assert library.nvmlSystemRegisterEvents(ctypes.byref(asked)) == nvml.NVML_SUCCESS
    asked.eventTypes = 4
    assert library.nvmlSystemRegisterEvents(ctypes.byref(asked)) == nvml.NVML_ERROR_NOT_SUPPORTED
    waited = nvml.c_nvmlSystemEventSetWaitRequest_v1_t()
    data = (nvml.c_nvmlSystemEventData_v1_t * 2)()
    waited.set, waited.timeoutms, waited.dataSize, waited.numEvent = created.set, 50, 2, 7
    waited.data = ctypes.cast(data, ctypes.POINTER(nvml.c_nvmlSystemEventData_v1_t))
    begun = time.monotonic()
    assert library.nvmlSystemEventSetWait(ctypes.byref(waited)) == nvml.NVML_ERROR_TIMEOUT
    assert time.monotonic() - begun >= 0.05 and waited.numEvent == 0
    freed = nvml.c_nvmlSystemEventSetFreeRequest_v1_t()
    freed.set = created.set
    assert library.nvmlSystemEventSetFree(ctypes.byref(freed)) == nvml.NVML_SUCCESS
    assert library.nvmlSystemEventSetFree(ctypes.byref(freed)) == nvml.NVML_ERROR_INVALID_ARGUMENT
    created.version += 1
    assert library.nvmlSystemEventSetCreate(ctypes.byref(created)) == nvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH


def check_settings(device):
    """Nobody may set anything."""
    assert nvml.nvmlDeviceGetPersistenceMode(device) == nvml.NVML_FEATURE_DISABLED
    fails(nvml.NVML_ERROR_NO_PERMISSION, nvml.nvmlDeviceSetPersistenceMode, device, nvml.NVML_FEATURE_ENABLED)
    fails(nvml.NVML_ERROR_INVALID_ARGUMENT, nvml.nvmlDeviceSetPersistenceMode, device, 2)
    fails(nvml.NVML_ERROR_NO_PERMISSION, nvml.nvmlDeviceSetComputeMode, device, nvml.NVML_COMPUTEMODE_PROHIBITED)
    fails(nvml.NVML_ERROR_INVALID_ARGUMENT, nvml.nvmlDeviceSetComputeMode, device, nvml.NVML_COMPUTEMODE_COUNT)


def check_processes(device):
    own = lambda: [p for p in nvml.nvmlDeviceGetComputeRunningProcesses(device) if p.pid == os.getpid()]
    context, memory = ctypes.c_void_p(), ctypes.c_uint64()
    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert cuda.cuCtxSetCurrent(context) == 0
    size = 64 << 20
    assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(size)) == 0
    assert cuda.cuMemsetD8_v2(memory, 1, ctypes.c_size_t(size)) == 0
    assert cuda.cuCtxSynchronize() == 0
    processes = own()
    assert len(processes) == 1, processes
    assert processes[0].usedGpuMemory >= size, processes[0]
    assert nvml.nvmlSystemGetProcessName(os.getpid()) == open("/proc/self/cmdline").read().split("\0")[0]


def check_tools():
    devices = nvitop.Device.all()
    assert [device.name() for device in devices] == [nvml.nvmlDeviceGetName(nvml.nvmlDeviceGetHandleByIndex(0))]
    snapshot = devices[0].as_snapshot()
    assert snapshot.memory_total == nvml.nvmlDeviceGetMemoryInfo(nvml.nvmlDeviceGetHandleByIndex(0)).total
    assert os.getpid() in devices[0].processes()
    run = lambda *module: subprocess.run([sys.executable, "-m", *module], capture_output=True, text=True, check=True).stdout
    shown = json.loads(run("gpustat", "--json"))
    assert shown["gpus"][0]["name"] == devices[0].name(), shown
    # It leaves the beginnings of long names out.
    shown = run("nvitop", "--once", "--ascii")
    assert devices[0].name()[-10:] in shown, shown


def screen(command, wanted):
    """What a program shows on a terminal, up to what is wanted."""
    ours, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 50, 200, 0, 0))
    environment = {**os.environ, "TERM": "xterm"}
    program = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment)
    os.close(terminal)
    text, end = b"", time.monotonic() + 60
    try:
        while not re.search(wanted, text) and time.monotonic() < end and select.select([ours], [], [], 60)[0]:
            text += os.read(ours, 1 << 16)
        os.write(ours, b"q")
        # The end of the program is an error of the terminal.
        while select.select([ours], [], [], 60)[0] and os.read(ours, 1 << 16):
            pass
    except OSError:
        pass
    assert program.wait(60) == 0, text
    return text


def check_nvtop(device):
    nvtop = os.environ["NVTOP"].split("\n")
    name = nvml.nvmlDeviceGetName(device)
    snapshot = subprocess.run([*nvtop, "--snapshot"], capture_output=True, text=True, check=True).stdout
    shown = [gpu for gpu in json.loads(snapshot) if gpu["device_name"] == name]
    assert len(shown) == 1, snapshot
    load, memory = (int(shown[0][key].removesuffix("%")) for key in ("gpu_util", "mem_util"))
    assert 0 <= load <= 100 and 0 <= memory <= 100, snapshot
    # A number that is no part of a terminal's code.
    process = rb"(?<![\[;\d])%d(?![;\dA-Za-z])" % os.getpid()
    text = screen(nvtop, process)
    assert re.search(process, text), text
    assert name.split()[0].encode() in text, text


check_before_the_start()
nvml.nvmlInit()
assert nvml.nvmlDeviceGetCount() == 1
device = nvml.nvmlDeviceGetHandleByIndex(0)
check_identity(device)
check_readings(device)
check_locality(device)
check_events(device)
check_settings(device)
check_processes(device)
check_tools()
check_nvtop(device)
nvml.nvmlShutdown()
