//! Streams.

use crate::convert::{In, Out};
use crate::core::capture::{self, EXTERNAL};
use crate::core::context::{Current, current};
use crate::core::memory::check_range;
use crate::core::memory::pool;
use crate::core::stream::event::Event;
use crate::core::stream::{self, StreamArg};
use cuda_types::cuda::{
    CUcontext, CUdevice, CUdeviceptr, CUerror, CUgreenCtx, CUhostFn, CUres, CUstream,
    CUstreamAttrID, CUstreamAttrValue, CUstreamCallback,
};
use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

/// `CU_STREAM_NON_BLOCKING`
const NON_BLOCKING: c_uint = 1;

pub(crate) fn cuStreamCreate(stream: Out<CUstream>, flags: c_uint) -> CUres {
    cuStreamCreateWithPriority(stream, flags, 0)
}

pub(crate) fn cuStreamCreateWithPriority(
    stream: Out<CUstream>,
    flags: c_uint,
    priority: c_int,
) -> CUres {
    stream.check()?;
    if flags & !NON_BLOCKING != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    stream.set(stream::create(&current()?, flags, priority)?)
}

pub(crate) fn cuStreamDestroy_v2(stream: CUstream) -> CUres {
    let stream = stream::destroy(stream)?;
    capture::end_stream(&stream.place.context, stream.id);
    Ok(())
}

pub(crate) fn cuStreamGetPriority(stream: StreamArg, priority: Out<c_int>) -> CUres {
    priority.check()?;
    let current = stream.enter()?.current;
    priority.set(stream.priority_in(&current))
}

pub(crate) fn cuStreamGetFlags(stream: StreamArg, flags: Out<c_uint>) -> CUres {
    flags.check()?;
    stream.enter_uncaptured()?;
    flags.set(stream.flags())
}

pub(crate) fn cuStreamGetId(stream: StreamArg, id: Out<c_ulonglong>) -> CUres {
    id.check()?;
    stream.enter_uncaptured()?;
    id.set(stream.id())
}

pub(crate) fn cuStreamGetDevice(stream: StreamArg, device: Out<CUdevice>) -> CUres {
    device.check()?;
    device.set(stream.enter_uncaptured()?.current.context.device)
}

pub(crate) fn cuStreamGetCtx(stream: StreamArg, context: Out<CUcontext>) -> CUres {
    context.check()?;
    context.set(stream.enter()?.current.place().handle())
}

/// The handle of the green context through which a stream works, or null.
fn green_of(current: &Current) -> CUgreenCtx {
    current.green.as_ref().map_or(null_mut(), |green| green.handle() as CUgreenCtx)
}

/// Both: the primary context of a green one too.
pub(crate) fn cuStreamGetCtx_v2(
    stream: StreamArg,
    context: Out<CUcontext>,
    green: Out<CUgreenCtx>,
) -> CUres {
    context.check()?;
    green.check()?;
    let current = stream.enter()?.current;
    context.set(current.context.handle())?;
    green.set(green_of(&current))
}

pub(crate) fn cuStreamGetGreenCtx(stream: StreamArg, green: Out<CUgreenCtx>) -> CUres {
    green.check()?;
    green.set(green_of(&stream.enter()?.current))
}

pub(crate) fn cuStreamWaitEvent(stream: StreamArg, event: Arc<Event>, flags: c_uint) -> CUres {
    if flags > EXTERNAL {
        return Err(CUerror::INVALID_VALUE);
    }
    event.hold_with(&stream, flags)
}

pub(crate) fn cuStreamAddCallback(
    handle: CUstream,
    callback: CUstreamCallback,
    data: *mut c_void,
    flags: c_uint,
) -> CUres {
    // "flags: Reserved for future use, must be 0"
    if flags != 0 || callback.is_none() {
        return Err(CUerror::INVALID_VALUE);
    }
    let target = stream::from_handle(handle)?.enter_to_work()?;
    target.add_callback(handle, callback, data)
}

pub(crate) fn cuLaunchHostFunc(stream: StreamArg, function: CUhostFn, data: *mut c_void) -> CUres {
    if function.is_none() {
        return Err(CUerror::INVALID_VALUE);
    }
    stream.enter_to_work()?.add_host_function(function, data)
}

pub(crate) fn cuStreamQuery(stream: StreamArg) -> CUres {
    let target = stream.enter_uncaptured()?;
    capture::check_unsafe_call()?;
    // SAFETY: the stream has been checked.
    target
        .current
        .check_synchronized(unsafe { target.current.driver.hip.hipStreamQuery(target.hip) })
}

pub(crate) fn cuStreamSynchronize(stream: StreamArg) -> CUres {
    let target = stream.enter_uncaptured()?;
    capture::check_unsafe_call()?;
    let result = target.synchronize();
    // The default stream waits for the others.
    pool::waited(Some(target.hip as u64).filter(|stream| *stream != 0));
    result
}

pub(crate) fn cuStreamAttachMemAsync(
    stream: StreamArg,
    pointer: CUdeviceptr,
    size: usize,
    flags: c_uint,
) -> CUres {
    if !matches!(flags, 1 | 2 | 4) {
        return Err(CUerror::INVALID_VALUE);
    }
    stream.enter_uncaptured()?;
    // "length must be zero or the entire allocation's size". Managed memory is always accessible here.
    check_range(pointer, size.max(1))
}

pub(crate) fn cuStreamCopyAttributes(to: StreamArg, from: StreamArg) -> CUres {
    to.enter()?;
    from.enter()?;
    to.copy_attributes(&to.enter()?, &from)
}

pub(crate) fn cuStreamGetAttribute(
    stream: StreamArg,
    attribute: CUstreamAttrID,
    value: Out<CUstreamAttrValue>,
) -> CUres {
    value.check()?;
    value.set(stream.attribute(&stream.enter()?.current, attribute)?)
}

pub(crate) fn cuStreamSetAttribute(
    stream: StreamArg,
    attribute: CUstreamAttrID,
    value: In<CUstreamAttrValue>,
) -> CUres {
    let value = value.get()?;
    stream.set_attribute(&stream.enter()?, attribute, &value)
}
