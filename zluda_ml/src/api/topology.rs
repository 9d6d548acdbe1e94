//! Devices and other devices.

use crate::convert::Out;
use crate::devices::{self, Device};
use cuda_types::nvml::*;
use std::ffi::c_int;
use std::sync::Arc;

/// Whether the driver lets one device access the other one's memory.
pub(crate) fn nvmlDeviceGetP2PStatus(
    one: Arc<Device>,
    other: Arc<Device>,
    _: nvmlGpuP2PCapsIndex_t,
    status: Out<nvmlGpuP2PStatus_t>,
) -> NvmlResult {
    status.check()?;
    let mut can = 0;
    // SAFETY: the place lives during the call.
    let asked =
        unsafe { devices::driver()?.cuDeviceCanAccessPeer(&mut can, one.ordinal, other.ordinal) };
    status.set(match asked {
        Ok(()) if can != 0 => nvmlGpuP2PStatus_t::NVML_P2P_STATUS_OK,
        _ => nvmlGpuP2PStatus_t::NVML_P2P_STATUS_NOT_SUPPORTED,
    })
}

/// No board has several devices.
pub(crate) fn nvmlDeviceOnSameBoard(
    one: Arc<Device>,
    other: Arc<Device>,
    is_same: Out<c_int>,
) -> NvmlResult {
    is_same.set((one.handle == other.handle).into())
}
