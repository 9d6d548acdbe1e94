//! The processes that use a device.

use crate::backend::Process;
use crate::convert::{In, Out, put_array};
use crate::devices::Device;
use cuda_types::nvml::*;
use std::ffi::{c_uint, c_ulonglong};
use std::sync::Arc;

/// `NVML_VALUE_NOT_AVAILABLE`
const NOT_AVAILABLE: c_ulonglong = c_ulonglong::MAX;
/// The number of no part of a device.
const NO_INSTANCE: c_uint = c_uint::MAX;

fn info(process: Process) -> nvmlProcessInfo_t {
    nvmlProcessInfo_t {
        pid: process.pid,
        usedGpuMemory: process.memory.unwrap_or(NOT_AVAILABLE),
        gpuInstanceId: NO_INSTANCE,
        computeInstanceId: NO_INSTANCE,
    }
}

/// The first form has no numbers of parts of a device.
fn first_form(info: nvmlProcessInfo_t) -> nvmlProcessInfo_v1_t {
    nvmlProcessInfo_v1_t { pid: info.pid, usedGpuMemory: info.usedGpuMemory }
}

pub(crate) fn nvmlDeviceGetComputeRunningProcesses(
    device: Arc<Device>,
    count: *mut c_uint,
    infos: Out<nvmlProcessInfo_v1_t>,
) -> NvmlResult {
    put_array(count, infos, device.telemetry.processes().into_iter().map(info).map(first_form))
}

pub(crate) fn nvmlDeviceGetComputeRunningProcesses_v2(
    device: Arc<Device>,
    count: *mut c_uint,
    infos: Out<nvmlProcessInfo_t>,
) -> NvmlResult {
    put_array(count, infos, device.telemetry.processes().into_iter().map(info))
}

/// Nothing draws.
pub(crate) fn nvmlDeviceGetGraphicsRunningProcesses(
    _: Arc<Device>,
    count: *mut c_uint,
    infos: Out<nvmlProcessInfo_v1_t>,
) -> NvmlResult {
    put_array(count, infos, std::iter::empty::<nvmlProcessInfo_v1_t>())
}

pub(crate) fn nvmlDeviceGetGraphicsRunningProcesses_v2(
    _: Arc<Device>,
    count: *mut c_uint,
    infos: Out<nvmlProcessInfo_t>,
) -> NvmlResult {
    put_array(count, infos, std::iter::empty::<nvmlProcessInfo_t>())
}

pub(crate) fn nvmlDeviceGetRunningProcessDetailList(
    device: Arc<Device>,
    list: *mut nvmlProcessDetailList_t,
) -> NvmlResult {
    let asked: nvmlProcessDetailList_t = In::of(list).get()?;
    if asked.version != struct_version::<nvmlProcessDetailList_v1_t>(1) {
        return Err(nvmlError::ARGUMENT_VERSION_MISMATCH);
    }
    let processes = match nvmlProcessMode_t(asked.mode) {
        nvmlProcessMode_t::NVML_PROCESS_MODE_COMPUTE | nvmlProcessMode_t::NVML_PROCESS_MODE_ALL => {
            device.telemetry.processes()
        }
        nvmlProcessMode_t::NVML_PROCESS_MODE_GRAPHICS
        | nvmlProcessMode_t::NVML_PROCESS_MODE_MPS => Vec::new(),
        _ => return Err(nvmlError::INVALID_ARGUMENT),
    };
    let details = processes.into_iter().map(info).map(|info| nvmlProcessDetail_v1_t {
        pid: info.pid,
        usedGpuMemory: info.usedGpuMemory,
        gpuInstanceId: NO_INSTANCE,
        computeInstanceId: NO_INSTANCE,
        usedGpuCcProtectedMemory: 0,
    });
    let mut count = asked.numProcArrayEntries;
    let result = put_array(&mut count, Out::of(asked.procArray), details);
    Out::of(list).set(nvmlProcessDetailList_t { numProcArrayEntries: count, ..asked })?;
    result
}
