//! What only an administrator may set on NVIDIA's GPUs, and nobody here: a mode or a limit of a device would be one of all
//! processes, of which ours know nothing of each other. The arguments are checked, and then there is no permission.

use crate::convert::{Out, versioned};
use crate::devices::Device;
use cuda_types::nvml::*;
use std::ffi::c_uint;
use std::sync::Arc;

/// "When driver persistence mode is enabled the driver software state is not torn down when the last client disconnects."
/// Ours goes with each process.
pub(crate) fn nvmlDeviceGetPersistenceMode(
    _: Arc<Device>,
    mode: Out<nvmlEnableState_t>,
) -> NvmlResult {
    mode.set(nvmlEnableState_t::NVML_FEATURE_DISABLED)
}

pub(crate) fn nvmlDeviceSetPersistenceMode(_: Arc<Device>, mode: nvmlEnableState_t) -> NvmlResult {
    refuse(mode.0 <= nvmlEnableState_t::NVML_FEATURE_ENABLED.0)
}

pub(crate) fn nvmlDeviceSetComputeMode(_: Arc<Device>, mode: nvmlComputeMode_t) -> NvmlResult {
    refuse(mode.0 < nvmlComputeMode_t::NVML_COMPUTEMODE_COUNT.0)
}

pub(crate) fn nvmlDeviceSetPowerManagementLimit(
    device: Arc<Device>,
    milliwatts: c_uint,
) -> NvmlResult {
    let limits = device.telemetry.power_limits().ok_or(nvmlError::NOT_SUPPORTED)?;
    let fits = |(least, most): (u32, u32)| (least..=most).contains(&milliwatts);
    refuse(limits.range.is_none_or(fits))
}

pub(crate) fn nvmlDeviceSetPowerManagementLimit_v2(
    device: Arc<Device>,
    value: *mut nvmlPowerValue_v2_t,
) -> NvmlResult {
    let value = versioned(value, 2)?;
    if u32::from(value.powerScope) != NVML_POWER_SCOPE_GPU {
        return Err(nvmlError::NOT_SUPPORTED);
    }
    nvmlDeviceSetPowerManagementLimit(device, value.powerValueMw)
}

fn refuse(is_valid: bool) -> NvmlResult {
    Err(if is_valid { nvmlError::NO_PERMISSION } else { nvmlError::INVALID_ARGUMENT })
}
