//! The link to the host.

use crate::backend::PcieLink;
use crate::convert::{Out, answer};
use crate::devices::Device;
use cuda_types::nvml::*;
use std::ffi::c_uint;
use std::sync::Arc;

fn link(
    device: &Device,
    to: Out<c_uint>,
    part: impl FnOnce(PcieLink) -> Option<u32>,
) -> NvmlResult {
    answer(to, device.telemetry.pcie_link().and_then(part))
}

pub(crate) fn nvmlDeviceGetCurrPcieLinkGeneration(
    device: Arc<Device>,
    to: Out<c_uint>,
) -> NvmlResult {
    link(&device, to, |link| link.generation)
}

pub(crate) fn nvmlDeviceGetMaxPcieLinkGeneration(
    device: Arc<Device>,
    to: Out<c_uint>,
) -> NvmlResult {
    link(&device, to, |link| link.maximum_generation)
}

pub(crate) fn nvmlDeviceGetCurrPcieLinkWidth(device: Arc<Device>, to: Out<c_uint>) -> NvmlResult {
    link(&device, to, |link| link.width)
}

pub(crate) fn nvmlDeviceGetMaxPcieLinkWidth(device: Arc<Device>, to: Out<c_uint>) -> NvmlResult {
    link(&device, to, |link| link.maximum_width)
}

/// KB/s.
pub(crate) fn nvmlDeviceGetPcieThroughput(
    device: Arc<Device>,
    counter: nvmlPcieUtilCounter_t,
    to: Out<c_uint>,
) -> NvmlResult {
    let throughput = device.telemetry.pcie_throughput();
    let bytes = match counter {
        nvmlPcieUtilCounter_t::NVML_PCIE_UTIL_TX_BYTES => throughput.map(|both| both.sent),
        nvmlPcieUtilCounter_t::NVML_PCIE_UTIL_RX_BYTES => throughput.map(|both| both.received),
        _ => return Err(nvmlError::INVALID_ARGUMENT),
    };
    answer(to, bytes.map(|bytes| c_uint::try_from(bytes / 1000).unwrap_or(c_uint::MAX)))
}
