//! Errors of memory that has a code to find them.

use crate::convert::{Out, answer};
use crate::devices::Device;
use cuda_types::nvml::*;
use std::ffi::c_ulonglong;
use std::sync::Arc;

pub(crate) fn nvmlDeviceGetEccMode(
    device: Arc<Device>,
    current: Out<nvmlEnableState_t>,
    pending: Out<nvmlEnableState_t>,
) -> NvmlResult {
    pending.check()?;
    let enabled = device.telemetry.ecc_errors().map(|_| nvmlEnableState_t::NVML_FEATURE_ENABLED);
    answer(current, enabled)?;
    answer(pending, enabled)
}

pub(crate) fn nvmlDeviceGetTotalEccErrors(
    device: Arc<Device>,
    kind: nvmlMemoryErrorType_t,
    counter: nvmlEccCounterType_t,
    count: Out<c_ulonglong>,
) -> NvmlResult {
    let errors = device.telemetry.ecc_errors();
    let found = match kind {
        nvmlMemoryErrorType_t::NVML_MEMORY_ERROR_TYPE_CORRECTED => errors.map(|all| all.corrected),
        nvmlMemoryErrorType_t::NVML_MEMORY_ERROR_TYPE_UNCORRECTED => {
            errors.map(|all| all.uncorrected)
        }
        _ => return Err(nvmlError::INVALID_ARGUMENT),
    };
    match counter {
        nvmlEccCounterType_t::NVML_VOLATILE_ECC => answer(count, found),
        // Nobody counts beyond a start of the system.
        nvmlEccCounterType_t::NVML_AGGREGATE_ECC => answer(count, None),
        _ => Err(nvmlError::INVALID_ARGUMENT),
    }
}
