//! Devices and other devices.

use crate::backend::{Scope, machine};
use crate::convert::{Out, put_some};
use crate::devices::{self, Device};
use cuda_types::nvml::*;
use std::ffi::{c_int, c_uint};
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

/// "All devices that are connected to the same NUMA node but possibly multiple host bridges", which is as near as we know
/// of devices in one node, or "all devices in the system".
fn distance(one: &Device, other: &Device) -> nvmlGpuTopologyLevel_t {
    let node = |device: &Device| match device.telemetry.locality(Scope::Node)?.nodes.as_slice() {
        [node] => Some(*node),
        _ => None,
    };
    match (node(one), node(other)) {
        (Some(one), Some(other)) if one == other => nvmlGpuTopologyLevel_t::NVML_TOPOLOGY_NODE,
        _ => nvmlGpuTopologyLevel_t::NVML_TOPOLOGY_SYSTEM,
    }
}

pub(crate) fn nvmlDeviceGetTopologyCommonAncestor(
    one: Arc<Device>,
    other: Arc<Device>,
    level: Out<nvmlGpuTopologyLevel_t>,
) -> NvmlResult {
    level.set(if one.handle == other.handle {
        nvmlGpuTopologyLevel_t::NVML_TOPOLOGY_INTERNAL
    } else {
        distance(&one, &other)
    })
}

/// The other devices that are no farther.
pub(crate) fn nvmlDeviceGetTopologyNearestGpus(
    device: Arc<Device>,
    level: nvmlGpuTopologyLevel_t,
    count: *mut c_uint,
    devices: Out<nvmlDevice_t>,
) -> NvmlResult {
    use nvmlGpuTopologyLevel_t as L;
    match level {
        L::NVML_TOPOLOGY_INTERNAL
        | L::NVML_TOPOLOGY_SINGLE
        | L::NVML_TOPOLOGY_MULTIPLE
        | L::NVML_TOPOLOGY_HOSTBRIDGE
        | L::NVML_TOPOLOGY_NODE
        | L::NVML_TOPOLOGY_SYSTEM => {}
        _ => return Err(nvmlError::INVALID_ARGUMENT),
    }
    let is_near = |other: &&Arc<Device>| {
        other.handle != device.handle && distance(&device, other).0 <= level.0
    };
    put_handles(count, devices, devices::all().iter().filter(is_near))
}

/// The devices that are near a processor.
pub(crate) fn nvmlSystemGetTopologyGpuSet(
    processor: c_uint,
    count: *mut c_uint,
    devices: Out<nvmlDevice_t>,
) -> NvmlResult {
    if processor >= machine::processors() {
        return Err(nvmlError::INVALID_ARGUMENT);
    }
    let is_near = |device: &&Arc<Device>| {
        let near = device.telemetry.locality(Scope::Node);
        near.is_some_and(|near| near.processors.contains(&processor))
    };
    put_handles(count, devices, devices::all().iter().filter(is_near))
}

fn put_handles<'a>(
    count: *mut c_uint,
    places: Out<nvmlDevice_t>,
    devices: impl Iterator<Item = &'a Arc<Device>>,
) -> NvmlResult {
    let handles: Vec<_> = devices.map(|device| device.handle as nvmlDevice_t).collect();
    put_some(count, places, handles.into_iter())
}
