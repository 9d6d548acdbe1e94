//! Events: places in the order of operations, of this process and, where an event is shared, of others.

use std::sync::Arc;

use hip_runtime_sys::{hipError_t, hipEventDisableTiming, hipEventInterprocess};
use parking_lot::Mutex;

use super::context::Context;
use super::stream::Stream;
use crate::os::shared_table::{Bytes, SharedEvent, Ticket};
use crate::work::op::{Op, Work};

pub struct Event {
    pub context: &'static Context,
    pub flags: u32,
    /// The operation that this process last recorded it as.
    recorded: Mutex<Option<(Arc<Op>, Ticket)>>,
    /// What other processes see, of an event that they can open.
    shared: Option<Arc<SharedEvent>>,
}

/// What an event stands for at one moment.
pub enum Recorded {
    Op(Arc<Op>),
    /// Work of another process.
    Elsewhere(Arc<SharedEvent>, Ticket),
}

impl Recorded {
    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        match self {
            Recorded::Op(op) => op.has_ended(),
            Recorded::Elsewhere(event, ticket) => event.has_ended(*ticket),
        }
    }

    /// Waits for the end.
    pub fn wait(&self) {
        match self {
            Recorded::Op(op) => op.wait(),
            Recorded::Elsewhere(event, ticket) => event.wait(*ticket),
        }
    }

    /// Lets the later work of a stream wait for it.
    pub fn hold(self, stream: &Stream) {
        match self {
            Recorded::Op(op) => stream.enqueue(false, Some(&op), Work::Nothing),
            Recorded::Elsewhere(event, ticket) => {
                let done = move || event.has_ended(ticket);
                stream.enqueue(false, None, Work::Until(Box::new(done)))
            }
        };
    }
}

impl Event {
    /// An event that was never recorded; `flags` are those of `hipEventCreateWithFlags`.
    pub fn new(context: &'static Context, flags: u32) -> Result<Event, hipError_t> {
        let shared = match flags & hipEventInterprocess {
            0 => None,
            _ => Some(Arc::new(SharedEvent::new()?)),
        };
        Ok(Event { context, flags, recorded: Mutex::new(None), shared })
    }

    /// The event of another process with this handle.
    pub fn open(
        context: &'static Context,
        flags: u32,
        handle: &Bytes,
    ) -> Result<Event, hipError_t> {
        let shared = Some(Arc::new(SharedEvent::open(handle)?));
        Ok(Event { context, flags, recorded: Mutex::new(None), shared })
    }

    /// The handle for other processes; `hipErrorInvalidHandle` for an event that they cannot open.
    pub fn handle(&self) -> Result<Bytes, hipError_t> {
        self.shared.as_ref().ok_or(hipError_t::hipErrorInvalidHandle)?.handle()
    }

    fn is_timed(&self) -> bool {
        self.flags & hipEventDisableTiming == 0
    }

    /// Stands for the present end of the stream from now on.
    pub fn record(&self, stream: &Stream) {
        let mut recorded = self.recorded.lock();
        let Some(shared) = self.shared.clone() else {
            let op = stream.enqueue(self.is_timed(), None, Work::Nothing);
            *recorded = Some((op, Ticket::default()));
            return;
        };
        let ticket = shared.issue();
        let end = move || shared.end(ticket);
        let op = stream.enqueue(false, None, Work::Quick(Box::new(end)));
        *recorded = Some((op, ticket));
    }

    /// What the event stands for; nothing before it is recorded.
    pub fn recorded(&self) -> Option<Recorded> {
        let recorded = self.recorded.lock().clone();
        let Some(shared) = &self.shared else {
            return recorded.map(|(op, _)| Recorded::Op(op));
        };
        let last = shared.last()?;
        match recorded {
            // Other processes may have seen the end, and have said so, before the operation itself counts as ended.
            Some((op, ticket)) if ticket == last && !shared.has_ended(ticket) => {
                Some(Recorded::Op(op))
            }
            _ => Some(Recorded::Elsewhere(shared.clone(), last)),
        }
    }

    /// The operation that this process has recorded.
    fn op(&self) -> Option<Arc<Op>> {
        self.recorded.lock().as_ref().map(|(op, _)| op.clone())
    }

    /// Milliseconds from one event to a later one.
    pub fn elapsed(&self, later: &Event) -> Result<f32, hipError_t> {
        if !self.is_timed() || !later.is_timed() {
            return Err(hipError_t::hipErrorInvalidHandle);
        }
        let (Some(from), Some(to)) = (self.op(), later.op()) else {
            return Err(hipError_t::hipErrorInvalidHandle);
        };
        let (Some(from), Some(to)) = (from.ended_at(), to.ended_at()) else {
            return Err(hipError_t::hipErrorNotReady);
        };
        Ok(((to as f64 - from as f64) / 1e6) as f32)
    }
}

// Builds for Windows have no events for other processes.
#[cfg(all(test, not(windows)))]
mod tests {
    use super::super::context::current;
    use super::super::stream::Kind;
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn what_others_see_as_ended_has_ended() {
        let context = current();
        let stream = Stream::new(context, Kind::NonBlocking, 0);
        let goes_on = Arc::new(AtomicBool::new(true));
        let seen = goes_on.clone();
        let until = move || !seen.load(Ordering::Relaxed);
        stream.enqueue(false, None, Work::Until(Box::new(until)));
        let event = Event::new(context, hipEventInterprocess | hipEventDisableTiming).unwrap();
        event.record(&stream);
        let has_ended = || event.recorded().is_none_or(|recorded| recorded.has_ended());
        assert!(!has_ended());
        // As its operation does, just before that itself has ended.
        let ticket = event.recorded.lock().as_ref().unwrap().1;
        event.shared.as_ref().unwrap().end(ticket);
        assert!(has_ended() && !event.op().unwrap().has_ended());
        goes_on.store(false, Ordering::Relaxed);
        stream.wait();
        assert!(has_ended());
    }
}
