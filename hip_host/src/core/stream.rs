//! Streams, and the order between them.
//!
//! Work of a stream comes after the stream's earlier work. Work of the legacy default stream comes after
//! all earlier work of blocking streams, and work of these after the legacy stream's earlier work.
//! Non-blocking streams know only events. The default stream of a thread is a blocking stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use hip_runtime_sys::{hipError_t, hipStream_t, hipStreamLegacy, hipStreamPerThread};
use parking_lot::Mutex;
use smallvec::SmallVec;

use super::device::Device;
use crate::work::op::{self, Op, Work};
use crate::work::pool;

/// Least and greatest urgency: numbers run as in CUDA, lower is more urgent.
pub const LEAST_PRIORITY: i32 = 0;
pub const GREATEST_PRIORITY: i32 = -5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Legacy,
    Blocking,
    NonBlocking,
}

pub struct Stream {
    pub id: u64,
    pub kind: Kind,
    pub priority: i32,
    /// Cores that each of its launches may run on at a time.
    processors: AtomicU32,
    /// The last operation. Changed only with [`Streams::order`] held.
    last: Mutex<Option<Arc<Op>>>,
    /// No handle names it any more; it is forgotten when its work has ended.
    forsaken: AtomicBool,
}

impl Stream {
    /// A stream without work; the priority is clamped to those that there are.
    pub fn new(kind: Kind, priority: i32) -> Arc<Stream> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let priority = priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY);
        Arc::new(Stream {
            id,
            kind,
            priority,
            processors: AtomicU32::new(pool::cores()),
            last: Mutex::new(None),
            forsaken: AtomicBool::new(false),
        })
    }

    /// Lets later launches run on so many cores at a time, of all there are.
    pub fn limit(&self, processors: u32) {
        self.processors.store(processors.min(pool::cores()), Ordering::Relaxed);
    }

    /// Cores that a launch may run on at a time.
    pub fn processors(&self) -> u32 {
        self.processors.load(Ordering::Relaxed)
    }

    /// The stream's work goes on, but no more will come.
    pub fn forsake(&self) {
        self.forsaken.store(true, Ordering::Relaxed);
    }

    /// The last operation, if it has not ended.
    fn pending(&self) -> Option<Arc<Op>> {
        let mut last = self.last.lock();
        if last.as_ref().is_some_and(|op| op.has_ended()) {
            *last = None;
        }
        last.clone()
    }
}

type Ops = SmallVec<[Arc<Op>; 4]>;

/// Somebody accesses memory outside of all streams.
pub struct AtOnce<'a>(&'a Streams);

impl Drop for AtOnce<'_> {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::Release);
    }
}

/// All streams.
pub struct Streams {
    legacy: Arc<Stream>,
    /// Those besides the legacy one. Whoever holds it decides the order of operations.
    order: Mutex<Vec<Arc<Stream>>>,
    /// How often somebody has begun to access memory outside of all streams; changed only with `order` held.
    begun: AtomicU64,
    /// How often somebody has ended to.
    ended: AtomicU64,
}

impl Default for Streams {
    fn default() -> Self {
        Streams {
            legacy: Stream::new(Kind::Legacy, 0),
            order: Mutex::default(),
            begun: AtomicU64::new(0),
            ended: AtomicU64::new(0),
        }
    }
}

/// The default stream of a thread.
struct OfThread(Arc<Stream>);

impl Drop for OfThread {
    fn drop(&mut self) {
        self.0.forsake();
    }
}

thread_local! {
    static OF_THREAD: OfThread = {
        let stream = Stream::new(Kind::Blocking, 0);
        Device::get().streams.add(stream.clone());
        OfThread(stream)
    };
}

impl Streams {
    /// Makes a new stream known.
    pub fn add(&self, stream: Arc<Stream>) {
        let mut streams = self.order.lock();
        streams.retain(|stream| {
            !stream.forsaken.load(Ordering::Relaxed) || stream.pending().is_some()
        });
        streams.push(stream);
    }

    /// The stream of a handle: the defaults, or one that was created.
    pub fn find(&self, handle: hipStream_t) -> Result<Arc<Stream>, hipError_t> {
        if handle.is_null() || handle == hipStreamLegacy {
            return Ok(self.legacy.clone());
        }
        if handle == hipStreamPerThread {
            return OF_THREAD
                .try_with(|stream| stream.0.clone())
                .map_err(|_| hipError_t::hipErrorInvalidResourceHandle);
        }
        Device::get().stream_handles.get(handle).ok_or(hipError_t::hipErrorInvalidResourceHandle)
    }

    /// The operations that the next one of a stream has to wait for.
    fn before(&self, stream: &Stream, streams: &[Arc<Stream>]) -> Ops {
        let mut before = Ops::new();
        before.extend(stream.pending());
        match stream.kind {
            Kind::Legacy => {
                let blocking = streams.iter().filter(|stream| stream.kind == Kind::Blocking);
                before.extend(blocking.filter_map(|stream| stream.pending()));
            }
            Kind::Blocking => before.extend(self.legacy.pending()),
            Kind::NonBlocking => {}
        }
        before
    }

    /// Puts work into a stream, after `also`. It begins at once if there is nothing to wait for.
    pub fn enqueue(
        &self,
        stream: &Stream,
        timed: bool,
        also: Option<&Arc<Op>>,
        work: Work,
    ) -> Arc<Op> {
        let op = Op::new(stream.id, timed, work);
        {
            let streams = self.order.lock();
            for earlier in self.before(stream, &streams).iter().chain(also) {
                earlier.precedes(&op);
            }
            *stream.last.lock() = Some(op.clone());
        }
        op::release(op.clone());
        op
    }

    /// Whether all that was put into a stream, or that it has to wait for, has ended.
    pub fn is_idle(&self, stream: &Stream) -> bool {
        self.pending_of(stream).is_empty()
    }

    /// Waits for all that was put into a stream, or that it has to wait for.
    pub fn wait_for(&self, stream: &Stream) {
        for op in self.pending_of(stream) {
            op.wait();
        }
    }

    fn pending_of(&self, stream: &Stream) -> Ops {
        let streams = self.order.lock();
        self.before(stream, &streams)
    }

    /// Waits for everything.
    pub fn wait_for_all(&self) {
        let pending = self.all_pending(&self.order.lock());
        for op in pending {
            op.wait();
        }
    }

    /// Does something while nothing accesses the device's memory: waits for all work, and lets none begin meanwhile.
    pub fn alone<T>(&self, body: impl FnOnce() -> T) -> T {
        loop {
            self.wait_for_all();
            let streams = self.order.lock();
            let is_idle = self.all_pending(&streams).is_empty()
                && self.begun.load(Ordering::Relaxed) == self.ended.load(Ordering::Acquire);
            if is_idle {
                return body();
            }
            drop(streams);
            std::thread::yield_now();
        }
    }

    /// Leave to access memory at once, without a place in any stream, if a stream has nothing that would come before.
    pub fn at_once(&self, stream: &Stream) -> Option<AtOnce<'_>> {
        let streams = self.order.lock();
        self.before(stream, &streams).is_empty().then(|| {
            // Others look only with the lock held.
            self.begun.store(self.begun.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
            AtOnce(self)
        })
    }

    /// Does something quick when all has ended that was put into streams by now; at once if it has. No stream waits
    /// for it.
    pub fn after_all(&self, quick: impl FnOnce() + Send + 'static) {
        // No stream has this number.
        let op = Op::new(0, false, Work::Quick(Box::new(quick)));
        for earlier in self.all_pending(&self.order.lock()) {
            earlier.precedes(&op);
        }
        op::release(op);
    }

    fn all_pending(&self, streams: &[Arc<Stream>]) -> Ops {
        streams.iter().chain([&self.legacy]).filter_map(|stream| stream.pending()).collect()
    }
}
