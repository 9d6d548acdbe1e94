//! Events.

use std::sync::Arc;

use hip_runtime_sys::{
    hipError_t, hipEvent_t, hipEventBlockingSync, hipEventDisableSystemFence,
    hipEventDisableTiming, hipEventInterprocess, hipEventReleaseToDevice, hipEventReleaseToSystem,
    hipStream_t,
};

use super::{INVALID, Result, check_may_wait_unless, hip_api, put};
use crate::core::context::current;
use crate::core::event::Event;
use crate::core::stream;
use crate::core::tables::tables;
use zluda_common::printf;

pub(super) fn event(handle: hipEvent_t) -> Result<Arc<Event>> {
    tables().events.get(handle).ok_or(hipError_t::hipErrorInvalidHandle)
}

/// # Safety
/// `to` is null or valid.
unsafe fn create(to: *mut hipEvent_t, flags: u32) -> Result {
    const KNOWN: u32 = hipEventBlockingSync
        | hipEventDisableTiming
        | hipEventInterprocess
        | hipEventReleaseToDevice
        | hipEventReleaseToSystem
        | hipEventDisableSystemFence;
    if to.is_null() || flags & !KNOWN != 0 {
        return Err(INVALID);
    }
    // "hipEventInterprocess: must be used with hipEventDisableTiming"
    if flags & hipEventInterprocess != 0 && flags & hipEventDisableTiming == 0 {
        return Err(INVALID);
    }
    let handle = tables().events.insert(Arc::new(Event::new(current(), flags)?));
    // SAFETY: the caller's promise.
    unsafe { put(to, handle) }
}

fn record(handle: hipEvent_t, stream: hipStream_t) -> Result {
    event(handle)?.record(&**stream::find(stream)?);
    Ok(())
}

hip_api! {
    healthy fn hipEventCreate(event: *mut hipEvent_t) {
        // SAFETY: the program's pointer.
        unsafe { create(event, 0) }
    }

    healthy fn hipEventCreateWithFlags(event: *mut hipEvent_t, flags: u32) {
        // SAFETY: the program's pointer.
        unsafe { create(event, flags) }
    }

    healthy fn hipEventRecord(event: hipEvent_t, stream: hipStream_t) {
        record(event, stream)
    }

    healthy fn hipEventRecordWithFlags(event: hipEvent_t, stream: hipStream_t, flags: u32) {
        if flags & !1 != 0 {
            return Err(INVALID);
        }
        record(event, stream)
    }

    healthy fn hipEventQuery(event: hipEvent_t) {
        match self::event(event)?.recorded() {
            Some(recorded) if !recorded.has_ended() => Err(hipError_t::hipErrorNotReady),
            _ => Ok(()),
        }
    }

    healthy fn hipEventSynchronize(event: hipEvent_t) {
        let event = self::event(event)?;
        if let Some(recorded) = event.recorded() {
            check_may_wait_unless(|| recorded.has_ended())?;
            recorded.wait();
        }
        printf::flush();
        current().device.error().map_or(Ok(()), Err)
    }

    healthy fn hipEventElapsedTime(ms: *mut f32, start: hipEvent_t, stop: hipEvent_t) {
        let elapsed = event(start)?.elapsed(&*event(stop)?)?;
        // SAFETY: the program's pointer.
        unsafe { put(ms, elapsed) }
    }

    always fn hipEventDestroy(event: hipEvent_t) {
        // What waits for the event keeps what it stands for.
        tables().events.remove(event).map(drop).ok_or(hipError_t::hipErrorInvalidHandle)
    }

    healthy fn hipStreamWaitEvent(stream: hipStream_t, event: hipEvent_t, flags: u32) {
        if flags & !1 != 0 {
            return Err(INVALID);
        }
        let (stream, event) = (stream::find(stream)?, self::event(event)?);
        if let Some(recorded) = event.recorded().filter(|recorded| !recorded.has_ended()) {
            recorded.hold(&stream);
        }
        Ok(())
    }
}
