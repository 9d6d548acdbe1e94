//! Events.

use crate::convert::FromC;
use crate::core::context::{Context, Current, enter};
use crate::core::device::driver::driver;
use crate::core::error::no_object;
use crate::core::stream::Target;
use cuda_types::cuda::{CUerror, CUevent, CUevent_flags, CUipcEventHandle, CUres};
use hip_runtime_sys::{hipError_t, hipEvent_t, hipEventDisableTiming, hipIpcEventHandle_t};
use parking_lot::Mutex;
use std::any::Any;
use std::fmt::Debug;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use zluda_common::handle::{HandleTable, Kind};

#[derive(Debug)]
pub(crate) struct Event {
    handle: OnceLock<u64>,
    pub(crate) context: Arc<Context>,
    hip: HipEvent,
    flags: u32,
    /// It was recorded in a stream, at least once.
    is_recorded: AtomicBool,
    /// The state of the capture at the last record, if that stream was captured.
    captured: Mutex<Option<Arc<dyn Captured>>>,
    /// There may be such a state.
    has_captured: AtomicBool,
}

/// The state of a capture that an event stands for, which was recorded in one of its streams.
pub(crate) trait Captured: Any + Debug + Send + Sync {
    /// The answer to questions about such an event, an error.
    fn refuse(&self) -> CUres;

    /// As above; the question ends the capture.
    fn refuse_and_invalidate(&self) -> CUres;
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

static EVENTS: LazyLock<HandleTable<Event>> = LazyLock::new(|| HandleTable::new(Kind::EVENT));

impl FromC<CUevent> for Arc<Event> {
    unsafe fn from_c(handle: CUevent) -> CUres<Self> {
        from_handle(handle)
    }
}

/// Creates an event; `flags` are those of `cuEventCreate`.
pub(crate) fn create(current: &Current, flags: u32) -> CUres<CUevent> {
    insert(current, HipEvent::create(current, flags)?, flags, false)
}

/// Opens another process's event, which is recorded where nobody here sees it.
pub(crate) fn open(current: &Current, handle: CUipcEventHandle) -> CUres<CUevent> {
    let mut event = null_mut();
    let handle = hipIpcEventHandle_t { reserved: handle.reserved };
    // SAFETY: `event` outlives the call.
    current.check(unsafe { current.driver.hip.hipIpcOpenEventHandle(&mut event, handle) })?;
    insert(current, HipEvent(event), hipEventDisableTiming, true)
}

fn insert(current: &Current, hip: HipEvent, flags: u32, is_recorded: bool) -> CUres<CUevent> {
    let event = Arc::new(Event {
        handle: OnceLock::new(),
        context: current.context.clone(),
        hip,
        flags,
        is_recorded: AtomicBool::new(is_recorded),
        captured: Mutex::default(),
        has_captured: AtomicBool::new(false),
    });
    let handle = EVENTS.insert(event.clone()).ok_or(CUerror::OUT_OF_MEMORY)?;
    let _ = event.handle.set(handle);
    Ok(handle as CUevent)
}

/// The event with this handle, or the error of [`no_object`].
pub(crate) fn from_handle(handle: CUevent) -> CUres<Arc<Event>> {
    EVENTS.get(handle as u64).ok_or_else(|| no_object(handle as u64))
}

impl HipEvent {
    fn create(current: &Current, flags: u32) -> CUres<HipEvent> {
        let mut event = null_mut();
        // CUDA's flags have HIP's values.
        // SAFETY: `event` outlives the call.
        current.check(unsafe { current.driver.hip.hipEventCreateWithFlags(&mut event, flags) })?;
        Ok(HipEvent(event))
    }

    fn record(&self, stream: &Target) -> CUres {
        let Target { current, hip, .. } = stream;
        // SAFETY: event and stream have been checked.
        current.check(unsafe { current.driver.hip.hipEventRecord(self.0, *hip) })
    }

    fn hold(&self, stream: &Target) -> CUres {
        let Target { current, hip, .. } = stream;
        // SAFETY: as above.
        current.check(unsafe { current.driver.hip.hipStreamWaitEvent(*hip, self.0, 0) })
    }
}

/// Ends an event's handle; `INVALID_HANDLE` if there is none.
pub(crate) fn destroy(handle: CUevent) -> CUres {
    EVENTS.remove(handle as u64).map(drop).ok_or(CUerror::INVALID_HANDLE)
}

/// Ends the events of a context that ends.
pub(crate) fn end_context(context: u64) {
    for (handle, event) in EVENTS.all() {
        if event.context.id() == context {
            EVENTS.remove(handle);
        }
    }
}

impl Event {
    /// The program's handle.
    pub(crate) fn handle(&self) -> CUevent {
        self.handle.get().copied().unwrap_or(0) as CUevent
    }

    /// `INVALID_HANDLE` if the event is of another context.
    pub(crate) fn check_of(&self, context: &Context) -> CUres {
        if self.context.id() == context.id() { Ok(()) } else { Err(CUerror::INVALID_HANDLE) }
    }

    /// Records the work that `stream` has so far; `INVALID_HANDLE` if the stream is of another context.
    pub(crate) fn record(&self, stream: &Target) -> CUres {
        self.check_of(&stream.current.context)?;
        if self.has_captured.swap(false, Ordering::AcqRel) {
            *self.captured.lock() = None;
        }
        self.is_recorded.store(true, Ordering::Release);
        self.hip.record(stream)
    }

    /// The handle for other processes; `INVALID_HANDLE` for an event that was not created for them.
    pub(crate) fn export(&self) -> CUres<CUipcEventHandle> {
        if self.flags & CUevent_flags::CU_EVENT_INTERPROCESS.0 == 0 {
            return Err(CUerror::INVALID_HANDLE);
        }
        let current = enter(&self.context)?;
        let mut handle = hipIpcEventHandle_t { reserved: [0; 64] };
        let hip = &current.driver.hip;
        // SAFETY: the event has been checked; `handle` outlives the call.
        current.check(unsafe { hip.hipIpcGetEventHandle(&mut handle, self.hip.0) })?;
        Ok(CUipcEventHandle { reserved: handle.reserved })
    }

    /// Whether the event was recorded in a stream, at least once.
    pub(crate) fn is_recorded(&self) -> bool {
        self.is_recorded.load(Ordering::Acquire)
    }

    /// The event stands for the state of a capture from now on.
    pub(crate) fn set_captured(&self, captured: Arc<dyn Captured>) {
        *self.captured.lock() = Some(captured);
        self.has_captured.store(true, Ordering::Release);
    }

    /// The state of the capture at the last record, if that stream was captured.
    pub(crate) fn captured(&self) -> Option<Arc<dyn Captured>> {
        if self.has_captured.load(Ordering::Acquire) { self.captured.lock().clone() } else { None }
    }

    /// Refuses what cannot be asked of an event that was recorded in a captured stream.
    pub(crate) fn check_not_captured(&self) -> CUres {
        self.captured().map_or(Ok(()), |captured| captured.refuse_and_invalidate())
    }

    /// `NOT_READY` as long as the recorded work runs.
    pub(crate) fn query(&self) -> CUres {
        let current = enter(&self.context)?;
        // SAFETY: the event has been checked.
        current.check_synchronized(unsafe { current.driver.hip.hipEventQuery(self.hip.0) })
    }

    /// Waits until the recorded work has ended, and returns its error.
    pub(crate) fn synchronize(&self) -> CUres {
        let current = enter(&self.context)?;
        // SAFETY: the event has been checked.
        current.check_synchronized(unsafe { current.driver.hip.hipEventSynchronize(self.hip.0) })
    }

    /// Whether the event says when it was recorded.
    pub(crate) fn is_timed(&self) -> bool {
        self.flags & CUevent_flags::CU_EVENT_DISABLE_TIMING.0 == 0
    }

    /// Milliseconds from this event to `end`.
    pub(crate) fn elapsed(&self, end: &Event) -> CUres<f32> {
        if self.context.id() != end.context.id() || !self.is_timed() || !end.is_timed() {
            return Err(CUerror::INVALID_HANDLE);
        }
        let current = enter(&self.context)?;
        for event in [self, end] {
            if let Some(captured) = event.captured() {
                captured.refuse()?;
            }
        }
        let mut milliseconds = 0.0;
        // SAFETY: the events have been checked; `milliseconds` outlives the call.
        current.check(unsafe {
            current.driver.hip.hipEventElapsedTime(&mut milliseconds, self.hip.0, end.hip.0)
        })?;
        Ok(milliseconds)
    }

    /// Lets all later work of `stream` wait for this event.
    pub(crate) fn hold(&self, stream: &Target) -> CUres {
        self.hip.hold(stream)
    }
}

/// The end of work that is under way, for the driver itself.
#[derive(Debug)]
pub(crate) struct Marker {
    context: Arc<Context>,
    hip: HipEvent,
    is_recorded: AtomicBool,
}

impl Marker {
    /// A marker of no work yet.
    pub(crate) fn new(current: &Current) -> CUres<Marker> {
        Ok(Marker {
            context: current.context.clone(),
            hip: HipEvent::create(current, hipEventDisableTiming)?,
            is_recorded: AtomicBool::new(false),
        })
    }

    /// Marks the end of the work that `stream` has so far.
    pub(crate) fn record(&self, stream: &Target) -> CUres {
        self.is_recorded.store(true, Ordering::Release);
        self.hip.record(stream)
    }

    /// Becomes a marker of no work, of another device's context: a provider records events in streams of their device.
    pub(crate) fn move_to(&mut self, current: &Current) -> CUres {
        if self.context.device != current.context.device {
            *self = Marker::new(current)?;
        }
        Ok(())
    }

    /// Lets all later work of a stream wait.
    pub(crate) fn hold(&self, stream: &Target) -> CUres {
        if self.is_recorded() { self.hip.hold(stream) } else { Ok(()) }
    }

    /// There has been work to mark the end of.
    pub(crate) fn is_recorded(&self) -> bool {
        self.is_recorded.load(Ordering::Acquire)
    }

    /// Nothing is under way. Nor is it in a context that has failed.
    pub(crate) fn is_past(&self) -> bool {
        let is_usable = || self.context.check_usable().is_ok();
        let Ok(driver) = driver() else { return true };
        let ends_later = self.is_recorded()
            && is_usable()
            // SAFETY: the event was created for this marker.
            && unsafe { driver.hip.hipEventQuery(self.hip.0) } == hipError_t::hipErrorNotReady;
        !ends_later
    }

    /// Waits for the end.
    pub(crate) fn wait(&self) {
        if !self.is_past()
            && let Ok(driver) = driver()
        {
            // SAFETY: as above.
            let _ = unsafe { driver.hip.hipEventSynchronize(self.hip.0) };
        }
    }
}
