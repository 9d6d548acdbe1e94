//! Events of the whole system: that a driver takes a GPU or leaves it, which no driver of ours does while it runs.

use crate::convert::{Out, versioned};
use cuda_types::nvml::*;
use std::ffi::c_ulonglong;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use zluda_common::handle::{HandleTable, Kind};

/// A set of events that somebody waits for.
struct SystemEventSet;

static SETS: LazyLock<HandleTable<SystemEventSet>> =
    LazyLock::new(|| HandleTable::new(Kind::NVML_SYSTEM_EVENT_SET));

fn find(set: nvmlSystemEventSet_t) -> NvmlResult<Arc<SystemEventSet>> {
    SETS.get(set as u64).ok_or(nvmlError::INVALID_ARGUMENT)
}

pub(crate) fn nvmlSystemEventSetCreate(
    request: *mut nvmlSystemEventSetCreateRequest_t,
) -> NvmlResult {
    let asked = versioned(request, 1)?;
    let handle = SETS.insert(Arc::new(SystemEventSet)).ok_or(nvmlError::MEMORY)?;
    let set = handle as nvmlSystemEventSet_t;
    Out::of(request).set(nvmlSystemEventSetCreateRequest_t { set, ..asked })
}

pub(crate) fn nvmlSystemEventSetFree(request: *mut nvmlSystemEventSetFreeRequest_t) -> NvmlResult {
    let asked = versioned(request, 1)?;
    SETS.remove(asked.set as u64).map(drop).ok_or(nvmlError::INVALID_ARGUMENT)
}

/// "If function reports NVML_ERROR_NOT_SUPPORTED [...] none of the requested eventTypes are registered in that case."
pub(crate) fn nvmlSystemRegisterEvents(
    request: *mut nvmlSystemRegisterEventRequest_t,
) -> NvmlResult {
    let asked = versioned(request, 1)?;
    find(asked.set)?;
    let known = nvmlSystemEventTypeGpuDriverUnbind | nvmlSystemEventTypeGpuDriverBind;
    if asked.eventTypes & !c_ulonglong::from(known) == 0 {
        Ok(())
    } else {
        Err(nvmlError::NOT_SUPPORTED)
    }
}

/// Waits in vain. "If timeoutms is zero, skip waiting for event."
pub(crate) fn nvmlSystemEventSetWait(request: *mut nvmlSystemEventSetWaitRequest_t) -> NvmlResult {
    let asked = versioned(request, 1)?;
    find(asked.set)?;
    if asked.data.is_null() || asked.dataSize == 0 {
        return Err(nvmlError::INVALID_ARGUMENT);
    }
    std::thread::sleep(Duration::from_millis(asked.timeoutms.into()));
    Out::of(request).set(nvmlSystemEventSetWaitRequest_t { numEvent: 0, ..asked })?;
    Err(nvmlError::TIMEOUT)
}
