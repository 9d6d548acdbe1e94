//! Events: places in the order of operations.

use std::sync::Arc;

use hip_runtime_sys::{hipError_t, hipEventDisableTiming};
use parking_lot::Mutex;

use super::device::Device;
use super::stream::Stream;
use crate::work::op::{Op, Work};

pub struct Event {
    pub flags: u32,
    /// The operation that it was last recorded as.
    recorded: Mutex<Option<Arc<Op>>>,
}

impl Event {
    /// An event that was never recorded; `flags` are those of `hipEventCreateWithFlags`.
    pub fn new(flags: u32) -> Event {
        Event { flags, recorded: Mutex::new(None) }
    }

    fn is_timed(&self) -> bool {
        self.flags & hipEventDisableTiming == 0
    }

    /// Stands for the present end of the stream from now on.
    pub fn record(&self, stream: &Stream) {
        let op = Device::get().streams.enqueue(stream, self.is_timed(), None, Work::Nothing);
        *self.recorded.lock() = Some(op);
    }

    /// The operation that the event stands for; none before it is recorded.
    pub fn recorded(&self) -> Option<Arc<Op>> {
        self.recorded.lock().clone()
    }

    /// Milliseconds from one event to a later one.
    pub fn elapsed(&self, later: &Event) -> Result<f32, hipError_t> {
        if !self.is_timed() || !later.is_timed() {
            return Err(hipError_t::hipErrorInvalidHandle);
        }
        let (Some(from), Some(to)) = (self.recorded(), later.recorded()) else {
            return Err(hipError_t::hipErrorInvalidHandle);
        };
        let (Some(from), Some(to)) = (from.ended_at(), to.ended_at()) else {
            return Err(hipError_t::hipErrorNotReady);
        };
        Ok(((to as f64 - from as f64) / 1e6) as f32)
    }
}
