//! Events.

use crate::convert::Out;
use crate::core::capture::{self, EXTERNAL};
use crate::core::context::current;
use crate::core::memory::pool;
use crate::core::stream::StreamArg;
use crate::core::stream::event::{self, Event};
use cuda_types::cuda::{CUerror, CUevent, CUevent_flags as F, CUres};
use std::ffi::c_uint;
use std::sync::Arc;

pub(crate) fn cuEventCreate(event: Out<CUevent>, flags: c_uint) -> CUres {
    event.check()?;
    let (timing, process) = (F::CU_EVENT_DISABLE_TIMING.0, F::CU_EVENT_INTERPROCESS.0);
    // "CU_EVENT_INTERPROCESS [...] must be specified along with CU_EVENT_DISABLE_TIMING."
    if flags & !(F::CU_EVENT_BLOCKING_SYNC.0 | timing | process) != 0
        || flags & process != 0 && flags & timing == 0
    {
        return Err(CUerror::INVALID_VALUE);
    }
    event.set(event::create(&current()?, flags)?)
}

pub(crate) fn cuEventDestroy_v2(event: CUevent) -> CUres {
    event::destroy(event)
}

pub(crate) fn cuEventRecord(event: CUevent, stream: StreamArg) -> CUres {
    // A capture that has gone wrong is found before an event that is none.
    let target = stream.enter_to_work()?;
    event::from_handle(event)?.record_with(&target, 0)
}

pub(crate) fn cuEventRecordWithFlags(event: Arc<Event>, stream: StreamArg, flags: c_uint) -> CUres {
    if flags > EXTERNAL {
        return Err(CUerror::INVALID_VALUE);
    }
    event.record_with(&stream.enter_to_work()?, flags)
}

pub(crate) fn cuEventQuery(event: Arc<Event>) -> CUres {
    event.check_not_captured()?;
    capture::check_unsafe_call()?;
    event.query()
}

pub(crate) fn cuEventSynchronize(event: Arc<Event>) -> CUres {
    event.check_not_captured()?;
    capture::check_unsafe_call()?;
    let result = event.synchronize();
    // Whatever stream it was recorded in.
    pool::waited(None);
    result
}

pub(crate) fn cuEventElapsedTime(
    milliseconds: Out<f32>,
    start: Arc<Event>,
    end: Arc<Event>,
) -> CUres {
    // NVIDIA's driver says so, where the manual has INVALID_VALUE.
    milliseconds.check().map_err(|_| CUerror::INVALID_HANDLE)?;
    milliseconds.set(start.elapsed(&end)?)
}
