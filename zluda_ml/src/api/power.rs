//! Power, in milliwatts, and energy, in millijoules.

use crate::convert::{Out, answer};
use crate::devices::Device;
use cuda_types::nvml::*;
use std::ffi::{c_uint, c_ulonglong};
use std::sync::Arc;

pub(crate) fn nvmlDeviceGetPowerUsage(device: Arc<Device>, power: Out<c_uint>) -> NvmlResult {
    answer(power, device.telemetry.power())
}

pub(crate) fn nvmlDeviceGetEnforcedPowerLimit(
    device: Arc<Device>,
    limit: Out<c_uint>,
) -> NvmlResult {
    answer(limit, device.telemetry.power_limits().map(|limits| limits.enforced))
}

pub(crate) fn nvmlDeviceGetPowerManagementDefaultLimit(
    device: Arc<Device>,
    limit: Out<c_uint>,
) -> NvmlResult {
    answer(limit, device.telemetry.power_limits().and_then(|limits| limits.default))
}

pub(crate) fn nvmlDeviceGetPowerManagementLimitConstraints(
    device: Arc<Device>,
    least: Out<c_uint>,
    most: Out<c_uint>,
) -> NvmlResult {
    let range = device.telemetry.power_limits().and_then(|limits| limits.range);
    most.check()?;
    answer(least, range.map(|(least, _)| least))?;
    answer(most, range.map(|(_, most)| most))
}

pub(crate) fn nvmlDeviceGetPowerManagementMode(
    device: Arc<Device>,
    mode: Out<nvmlEnableState_t>,
) -> NvmlResult {
    let enabled = |_| nvmlEnableState_t::NVML_FEATURE_ENABLED;
    answer(mode, device.telemetry.power_limits().map(enabled))
}

pub(crate) fn nvmlDeviceGetTotalEnergyConsumption(
    device: Arc<Device>,
    energy: Out<c_ulonglong>,
) -> NvmlResult {
    answer(energy, device.telemetry.energy())
}
