//! Events, of which there are none.

use crate::convert::{FromC, Out};
use crate::devices::Device;
use cuda_types::nvml::*;
use std::ffi::{c_uint, c_ulonglong};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use zluda_api::driver::ProviderKind;
use zluda_common::handle::{HandleTable, Kind};

/// A set of events that somebody waits for.
pub(crate) struct EventSet;

static SETS: LazyLock<HandleTable<EventSet>> =
    LazyLock::new(|| HandleTable::new(Kind::NVML_EVENT_SET));

impl FromC<nvmlEventSet_t> for Arc<EventSet> {
    unsafe fn from_c(handle: nvmlEventSet_t) -> NvmlResult<Self> {
        SETS.get(handle as u64).ok_or(nvmlError::INVALID_ARGUMENT)
    }
}

pub(crate) fn nvmlEventSetCreate(set: Out<nvmlEventSet_t>) -> NvmlResult {
    set.check()?;
    let handle = SETS.insert(Arc::new(EventSet)).ok_or(nvmlError::MEMORY)?;
    set.set(handle as nvmlEventSet_t)
}

pub(crate) fn nvmlEventSetFree(set: nvmlEventSet_t) -> NvmlResult {
    SETS.remove(set as u64).map(drop).ok_or(nvmlError::INVALID_ARGUMENT)
}

/// Waits in vain.
pub(crate) fn nvmlEventSetWait_v2(
    _: Arc<EventSet>,
    data: Out<nvmlEventData_t>,
    milliseconds: c_uint,
) -> NvmlResult {
    data.check()?;
    std::thread::sleep(Duration::from_millis(milliseconds.into()));
    Err(nvmlError::TIMEOUT)
}

/// Those of which we know that they do not come: a fault of a kernel on the processor is its process' alone, and no
/// kernel module reports errors (XID) of such a device. What an AMD GPU would report we do not learn.
fn known_types(device: &Device) -> c_ulonglong {
    match device.info.provider {
        ProviderKind::Rocm => nvmlEventTypeNone.into(),
        _ => nvmlEventTypeXidCriticalError.into(),
    }
}

pub(crate) fn nvmlDeviceGetSupportedEventTypes(
    device: Arc<Device>,
    types: Out<c_ulonglong>,
) -> NvmlResult {
    types.set(known_types(&device))
}

pub(crate) fn nvmlDeviceRegisterEvents(
    device: Arc<Device>,
    types: c_ulonglong,
    _: Arc<EventSet>,
) -> NvmlResult {
    if types & !known_types(&device) == 0 { Ok(()) } else { Err(nvmlError::NOT_SUPPORTED) }
}
