//! Green contexts.

use crate::convert::Out;
use crate::core::capture;
use crate::core::context::green::Green;
use crate::core::context::place::Place;
use crate::core::context::{Current, current};
use crate::core::device::driver::driver;
use crate::core::device::part::Description;
use crate::core::stream::event::{self, Event};
use crate::core::stream::{self, of_context};
use cuda_types::cuda::{
    CUcontext, CUdevResourceDesc, CUdevice, CUerror, CUevent, CUgreenCtx, CUgreenCtxCreate_flags,
    CUres, CUstream, CUstream_flags,
};
use std::ffi::{c_int, c_uint, c_ulonglong};
use std::sync::Arc;

pub(crate) fn cuGreenCtxCreate(
    green: Out<CUgreenCtx>,
    description: CUdevResourceDesc,
    device: CUdevice,
    flags: c_uint,
) -> CUres {
    green.check()?;
    // "CU_GREEN_CTX_DEFAULT_STREAM : Creates a default stream to use inside the green context. Required."
    if flags != CUgreenCtxCreate_flags::CU_GREEN_CTX_DEFAULT_STREAM.0 {
        return Err(CUerror::INVALID_VALUE);
    }
    let device = driver()?.device(device)?;
    // An H100 takes none for the whole device.
    let description = match description.is_null() {
        true => Description::all_of(device),
        false => Description::from_handle(description)?,
    };
    if description.device != device.ordinal {
        return Err(CUerror::INVALID_VALUE);
    }
    green.set(Green::create(description)?.handle() as CUgreenCtx)
}

pub(crate) fn cuGreenCtxDestroy(green: Arc<Green>) -> CUres {
    green.end()
}

pub(crate) fn cuCtxFromGreenCtx(context: Out<CUcontext>, green: Arc<Green>) -> CUres {
    context.check()?;
    green.check_alive()?;
    context.set(Place::from(green).handle())
}

pub(crate) fn cuGreenCtxGetId(green: CUgreenCtx, id: Out<c_ulonglong>) -> CUres {
    id.check()?;
    // An H100 takes none for the current context.
    let current = match green.is_null() {
        true => current()?,
        false => Green::from_handle(green as u64).ok_or(CUerror::INVALID_CONTEXT)?.enter()?,
    };
    id.set(current.place().id())
}

pub(crate) fn cuGreenCtxStreamCreate(
    stream: Out<CUstream>,
    green: Arc<Green>,
    flags: c_uint,
    priority: c_int,
) -> CUres {
    stream.check()?;
    // "CU_STREAM_NON_BLOCKING must be specified."
    if flags != CUstream_flags::CU_STREAM_NON_BLOCKING.0 {
        return Err(CUerror::INVALID_VALUE);
    }
    stream.set(stream::create(&green.enter()?, flags, priority)?)
}

/// The event of all that a context does, and `STREAM_CAPTURE_UNSUPPORTED` where one of its streams is captured, which ends
/// the capture.
fn record(current: &Current, event: &Event) -> CUres {
    capture::check_none_in(&current.place())?;
    of_context::record(current, event)
}

/// As above; and an event that was recorded in a captured stream ends its capture: by `CAPTURED_EVENT` on an H100, where the
/// manual has the same error.
fn hold(current: &Current, event: &Event) -> CUres {
    capture::check_none_in(&current.place())?;
    event.check_not_captured()?;
    of_context::hold(current, event)
}

pub(crate) fn cuGreenCtxRecordEvent(green: Arc<Green>, event: Arc<Event>) -> CUres {
    record(&green.enter()?, &event)
}

pub(crate) fn cuGreenCtxWaitEvent(green: Arc<Green>, event: Arc<Event>) -> CUres {
    hold(&green.enter()?, &event)
}

pub(crate) fn cuCtxRecordEvent(context: CUcontext, event: CUevent) -> CUres {
    record(&Place::from_handle(context)?.enter()?, &*event::from_handle(event)?)
}

pub(crate) fn cuCtxWaitEvent(context: CUcontext, event: CUevent) -> CUres {
    hold(&Place::from_handle(context)?.enter()?, &*event::from_handle(event)?)
}
