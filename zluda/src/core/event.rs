//! Events.

use crate::convert::FromC;
use crate::core::context::{Context, Current, enter};
use crate::core::driver::driver;
use crate::core::kind;
use crate::core::stream::Target;
use cuda_types::cuda::{CUerror, CUevent, CUevent_flags, CUres};
use hip_runtime_sys::hipEvent_t;
use std::ptr::null_mut;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::HandleTable;

#[derive(Debug)]
pub(crate) struct Event {
    context: Arc<Context>,
    hip: HipEvent,
    flags: u32,
}

/// The provider's event, destroyed when nobody uses it any more.
#[derive(Debug)]
struct HipEvent(hipEvent_t);

// SAFETY: HIP's events may be used from any thread.
unsafe impl Send for HipEvent {}
// SAFETY: as above.
unsafe impl Sync for HipEvent {}

impl Drop for HipEvent {
    fn drop(&mut self) {
        if let Ok(driver) = driver() {
            // SAFETY: the event was created by this provider and is not used any more.
            let _ = unsafe { driver.hip.hipEventDestroy(self.0) };
        }
    }
}

static EVENTS: LazyLock<HandleTable<Event>> = LazyLock::new(|| HandleTable::new(kind::EVENT));

impl FromC<CUevent> for Arc<Event> {
    unsafe fn from_c(handle: CUevent) -> CUres<Self> {
        EVENTS.get(handle as u64).ok_or(CUerror::INVALID_HANDLE)
    }
}

pub(crate) fn create(current: &Current, flags: u32) -> CUres<CUevent> {
    let mut event = null_mut();
    // CUDA's flags have HIP's values.
    // SAFETY: `event` outlives the call.
    current.check(unsafe { current.driver.hip.hipEventCreateWithFlags(&mut event, flags) })?;
    let event = Event { context: current.context.clone(), hip: HipEvent(event), flags };
    let handle = EVENTS.insert(Arc::new(event)).ok_or(CUerror::OUT_OF_MEMORY)?;
    Ok(handle as CUevent)
}

pub(crate) fn destroy(handle: CUevent) -> CUres {
    EVENTS.remove(handle as u64).map(drop).ok_or(CUerror::INVALID_HANDLE)
}

pub(crate) fn end_context(context: u64) {
    for (handle, event) in EVENTS.all() {
        if event.context.id() == context {
            EVENTS.remove(handle);
        }
    }
}

impl Event {
    /// Records the work that `stream` has so far; `INVALID_HANDLE` if the stream is of another context.
    pub(crate) fn record(&self, stream: &Target) -> CUres {
        if self.context.id() != stream.current.context.id() {
            return Err(CUerror::INVALID_HANDLE);
        }
        // SAFETY: event and stream have been checked.
        stream
            .current
            .check(unsafe { stream.current.driver.hip.hipEventRecord(self.hip.0, stream.hip) })
    }

    /// `NOT_READY` as long as the recorded work runs.
    pub(crate) fn query(&self) -> CUres {
        let current = enter(&self.context)?;
        // SAFETY: the event has been checked.
        current.check_synchronized(unsafe { current.driver.hip.hipEventQuery(self.hip.0) })
    }

    pub(crate) fn synchronize(&self) -> CUres {
        let current = enter(&self.context)?;
        // SAFETY: the event has been checked.
        current.check_synchronized(unsafe { current.driver.hip.hipEventSynchronize(self.hip.0) })
    }

    /// Milliseconds from this event to `end`.
    pub(crate) fn elapsed(&self, end: &Event) -> CUres<f32> {
        let timing = |event: &Event| event.flags & CUevent_flags::CU_EVENT_DISABLE_TIMING.0 == 0;
        if self.context.id() != end.context.id() || !timing(self) || !timing(end) {
            return Err(CUerror::INVALID_HANDLE);
        }
        let current = enter(&self.context)?;
        let mut milliseconds = 0.0;
        // SAFETY: the events have been checked; `milliseconds` outlives the call.
        current.check(unsafe {
            current.driver.hip.hipEventElapsedTime(&mut milliseconds, self.hip.0, end.hip.0)
        })?;
        Ok(milliseconds)
    }

    /// Lets all later work of `stream` wait for this event.
    pub(crate) fn hold(&self, stream: &Target, flags: u32) -> CUres {
        // SAFETY: event and stream have been checked.
        stream.current.check(unsafe {
            stream.current.driver.hip.hipStreamWaitEvent(stream.hip, self.hip.0, flags)
        })
    }
}
