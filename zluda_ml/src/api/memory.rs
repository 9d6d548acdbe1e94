//! Memory, in bytes.

use crate::convert::{In, Out, answer};
use crate::devices::Device;
use cuda_types::nvml::*;
use std::sync::Arc;

pub(crate) fn nvmlDeviceGetMemoryInfo(
    device: Arc<Device>,
    memory: Out<nvmlMemory_t>,
) -> NvmlResult {
    // What the system keeps counts as used here.
    answer(
        memory,
        device.telemetry.memory().map(|memory| nvmlMemory_t {
            total: memory.total,
            free: memory.free,
            used: memory.used + memory.reserved,
        }),
    )
}

pub(crate) fn nvmlDeviceGetMemoryInfo_v2(
    device: Arc<Device>,
    memory: *mut nvmlMemory_v2_t,
) -> NvmlResult {
    let version = In::<nvmlMemory_v2_t>::of(memory).get()?.version;
    if version != struct_version::<nvmlMemory_v2_t>(2) {
        return Err(nvmlError::ARGUMENT_VERSION_MISMATCH);
    }
    answer(
        Out::of(memory),
        device.telemetry.memory().map(|memory| nvmlMemory_v2_t {
            version,
            total: memory.total,
            reserved: memory.reserved,
            free: memory.free,
            used: memory.used,
        }),
    )
}

pub(crate) fn nvmlDeviceGetBAR1MemoryInfo(
    device: Arc<Device>,
    memory: Out<nvmlBAR1Memory_t>,
) -> NvmlResult {
    answer(
        memory,
        device.telemetry.visible_memory().map(|memory| nvmlBAR1Memory_t {
            bar1Total: memory.total,
            bar1Free: memory.free,
            bar1Used: memory.used + memory.reserved,
        }),
    )
}
