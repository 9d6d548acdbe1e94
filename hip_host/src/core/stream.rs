//! Streams, and the order between them.
//!
//! Work of a stream comes after the stream's earlier work. Work of the legacy default stream comes after
//! all earlier work of blocking streams, and work of these after the legacy stream's earlier work.
//! Non-blocking streams know only events. The default stream of a thread is a blocking stream.

use std::cell::RefCell;
use std::iter::once_with;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use hip_runtime_sys::{hipError_t, hipStream_t, hipStreamLegacy, hipStreamPerThread};
use parking_lot::{Mutex, MutexGuard};
use smallvec::SmallVec;

use super::context::{Context, current};
use super::handle::Found;
use super::launch::Ready;
use super::line::Line;
use super::runner::Runner;
use super::tables::tables;
use crate::work::op::{self, Op, Work};
use crate::work::pool::Pool;

/// Least and greatest urgency: numbers run as in CUDA, lower is more urgent.
pub const LEAST_PRIORITY: i32 = 0;
pub const GREATEST_PRIORITY: i32 = -5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Legacy,
    Blocking,
    NonBlocking,
}

/// The priority that is nearest.
pub fn in_range(priority: i32) -> i32 {
    priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY)
}

pub struct Stream {
    pub context: &'static Context,
    pub id: u64,
    pub kind: Kind,
    /// Lower numbers are greater ones.
    priority: AtomicI32,
    /// Cores that each of its launches may run on at a time.
    processors: AtomicU32,
    /// The last operation. Changed only with [`Streams::order`] held.
    last: Mutex<Option<Last>>,
    /// Whether there is one there, for who asks with [`Streams::order`] held: most streams have none then.
    has_last: AtomicBool,
    /// No handle names it any more; it is forgotten when its work has ended.
    forsaken: AtomicBool,
}

/// A stream's last operation.
struct Last {
    op: Arc<Op>,
    what: What,
}

enum What {
    /// A launch, for whose end nobody has asked.
    Launch,
    /// Launches, to which others may be added.
    Line(Arc<Line>),
    /// What nothing is added to.
    Whole,
}

impl Stream {
    /// A stream without work; the priority is clamped to those that there are.
    pub fn new(context: &'static Context, kind: Kind, priority: i32) -> Arc<Stream> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Arc::new(Stream {
            context,
            id,
            kind,
            priority: AtomicI32::new(in_range(priority)),
            processors: AtomicU32::new(context.device.cores()),
            last: Mutex::new(None),
            has_last: AtomicBool::new(false),
            forsaken: AtomicBool::new(false),
        })
    }

    /// The priority of work that is put into it now; lower numbers are greater ones.
    pub fn priority(&self) -> i32 {
        self.priority.load(Ordering::Relaxed)
    }

    /// Gives later work another priority, which is clamped to those that there are.
    pub fn set_priority(&self, priority: i32) {
        self.priority.store(in_range(priority), Ordering::Relaxed);
    }

    /// Lets later launches run on so many cores at a time, of all there are.
    pub fn limit(&self, processors: u32) {
        self.processors.store(processors.min(self.context.device.cores()), Ordering::Relaxed);
    }

    /// Cores that a launch may run on at a time.
    pub fn processors(&self) -> u32 {
        self.processors.load(Ordering::Relaxed)
    }

    /// Puts work into the stream, after `also`. It begins at once if there is nothing to wait for.
    pub fn enqueue(&self, timed: bool, also: Option<&Arc<Op>>, work: Work) -> Arc<Op> {
        self.context.streams.enqueue(self, timed, also, work)
    }

    /// Puts a launch into the stream.
    pub fn launch(&self, member: Ready) {
        self.context.streams.launch(self, member);
    }

    /// Whether all that was put into it, or that it has to wait for, has ended.
    pub fn is_idle(&self) -> bool {
        let streams = &self.context.streams;
        streams.has_none_before(self, &streams.order.lock())
    }

    /// Waits for all that was put into it, or that it has to wait for.
    pub fn wait(&self) {
        let pending = self.context.streams.pending_of(self);
        if pending.is_empty() {
            Pool::get().catch_up();
        }
        for op in pending {
            op.wait();
        }
    }

    /// The stream's work goes on, but no more will come.
    pub fn forsake(&self) {
        self.forsaken.store(true, Ordering::Relaxed);
    }

    /// The last operation, if it has not ended; nothing is added to it any more. For who holds [`Streams::order`].
    fn pending(&self) -> Option<Arc<Op>> {
        if !self.has_last.load(Ordering::Relaxed) {
            return None;
        }
        let mut kept = self.last.lock();
        let last = kept.as_mut()?;
        if let What::Line(line) = std::mem::replace(&mut last.what, What::Whole)
            && line.close()
        {
            op::finish(&last.op);
        }
        if last.op.has_ended() {
            *kept = None;
            self.has_last.store(false, Ordering::Relaxed);
            return None;
        }
        Some(last.op.clone())
    }

    /// Puts a launch into the line that is the stream's last operation, if one is. For who holds [`Streams::order`].
    fn append(&self, runner: Runner, member: Ready) -> Result<Vec<Ready>, Ready> {
        match &*self.last.lock() {
            Some(Last { op, what: What::Line(line) }) if !op.has_ended() => {
                line.append(runner, member)
            }
            _ => Err(member),
        }
    }

    /// Whether launches seem to follow one another: the last operation is one, and nobody has asked for its end. For who holds
    /// [`Streams::order`].
    fn follows_launch(&self) -> bool {
        matches!(&*self.last.lock(), Some(Last { what: What::Launch, .. }))
    }

    /// Makes an operation the last one. For who holds [`Streams::order`].
    fn set_last(&self, op: Arc<Op>, what: What) {
        *self.last.lock() = Some(Last { op, what });
        self.has_last.store(true, Ordering::Relaxed);
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

/// All streams of a context.
#[derive(Default)]
pub struct Streams {
    /// Made when it is first asked for.
    legacy: OnceLock<Arc<Stream>>,
    /// Those besides the legacy one. Whoever holds it decides the order of operations.
    order: Mutex<Vec<Arc<Stream>>>,
    /// How often somebody has begun to access memory outside of all streams; changed only with `order` held.
    begun: AtomicU64,
    /// How often somebody has ended to.
    ended: AtomicU64,
}

/// The default streams of a thread, one for each context.
#[derive(Default)]
struct OfThread(RefCell<Vec<Arc<Stream>>>);

impl Drop for OfThread {
    fn drop(&mut self) {
        self.0.borrow().iter().for_each(|stream| stream.forsake());
    }
}

impl OfThread {
    fn of_context(&self, context: &'static Context) -> Arc<Stream> {
        let mut streams = self.0.borrow_mut();
        // A context that ends may be used again.
        let is_own = |stream: &&Arc<Stream>| {
            stream.context == context && !stream.forsaken.load(Ordering::Relaxed)
        };
        if let Some(stream) = streams.iter().find(is_own) {
            return stream.clone();
        }
        streams.retain(|stream| !stream.forsaken.load(Ordering::Relaxed));
        let stream = Stream::new(context, Kind::Blocking, 0);
        context.streams.add(stream.clone());
        streams.push(stream.clone());
        stream
    }
}

thread_local! {
    static OF_THREAD: OfThread = OfThread::default();
}

/// The stream of a handle: the defaults of the current context, or one that was created.
pub fn find(handle: hipStream_t) -> Result<Found<Stream>, hipError_t> {
    const ERROR: hipError_t = hipError_t::hipErrorInvalidResourceHandle;
    let context = current();
    if handle.is_null() || handle == hipStreamLegacy {
        return Ok(Found::Default(context.streams.legacy(context)));
    }
    if handle == hipStreamPerThread {
        let own = OF_THREAD.try_with(|streams| streams.of_context(context));
        return own.map(Found::Other).map_err(|_| ERROR);
    }
    tables().streams.get(handle).map(Found::Other).ok_or(ERROR)
}

/// Takes the handles of streams away: their work goes on, but no more will come.
pub fn end_all(is_meant: impl Fn(&Stream) -> bool) {
    tables().streams.retain(|stream| {
        let ends = is_meant(stream);
        if ends {
            stream.forsake();
        }
        !ends
    });
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

    /// The legacy default stream of the context that these streams are of.
    fn legacy(&self, context: &'static Context) -> &Arc<Stream> {
        self.legacy.get_or_init(|| Stream::new(context, Kind::Legacy, 0))
    }

    /// The operations that the next one of a stream has to wait for.
    fn before<'a>(
        &'a self,
        stream: &'a Stream,
        streams: &'a [Arc<Stream>],
    ) -> impl Iterator<Item = Arc<Op>> + 'a {
        self.before_of_others(stream, streams).chain(once_with(|| stream.pending()).flatten())
    }

    /// Whether there are none.
    fn has_none_before(&self, stream: &Stream, streams: &[Arc<Stream>]) -> bool {
        self.before(stream, streams).next().is_none()
    }

    /// Those of them that are of other streams: the legacy stream and blocking ones wait for each other.
    fn before_of_others<'a>(
        &'a self,
        stream: &Stream,
        streams: &'a [Arc<Stream>],
    ) -> impl Iterator<Item = Arc<Op>> + 'a {
        let created = if stream.kind == Kind::Legacy { streams } else { &[] };
        let blocking = created.iter().filter(|stream| stream.kind == Kind::Blocking);
        let legacy = self.legacy.get().filter(|_| stream.kind == Kind::Blocking);
        blocking.chain(legacy).filter_map(|stream| stream.pending())
    }

    fn enqueue(&self, stream: &Stream, timed: bool, also: Option<&Arc<Op>>, work: Work) -> Arc<Op> {
        let op = Op::new(stream.id, &stream.context.device.failure, timed, work);
        {
            let streams = self.order.lock();
            for earlier in self.before(stream, &streams).chain(also.cloned()) {
                earlier.precedes(&op);
            }
            stream.set_last(op.clone(), What::Whole);
        }
        op::release(op.clone());
        op
    }

    fn launch(&self, stream: &Stream, member: Ready) {
        let runner = Runner::of(stream);
        let op = {
            let streams = self.order.lock();
            let mut before = self.before_of_others(stream, &streams).peekable();
            let is_alone = before.peek().is_none();
            let appended = match is_alone {
                true => stream.append(runner, member),
                false => Err(member),
            };
            let first = match appended {
                Ok(done) => {
                    drop(before);
                    drop(streams);
                    return drop(done);
                }
                Err(member) => member,
            };
            // What is waited for at once has no line, which would take longer.
            let (op, what) = match is_alone && stream.follows_launch() {
                true => {
                    let (line, op) = Line::new(runner, first);
                    (op, What::Line(line))
                }
                false => (runner.op(runner.work(first)), What::Launch),
            };
            for earlier in before.chain(stream.pending()) {
                earlier.precedes(&op);
            }
            stream.set_last(op.clone(), what);
            op
        };
        op::release(op);
    }

    fn pending_of(&self, stream: &Stream) -> Ops {
        let streams = self.order.lock();
        self.before(stream, &streams).collect()
    }

    /// Waits for everything.
    pub fn wait_for_all(&self) {
        let pending = self.all_pending(&self.order.lock());
        for op in pending {
            op.wait();
        }
    }

    /// Lets no work begin as long as the result lives; nothing if there is any.
    pub fn hold(&self) -> Option<MutexGuard<'_, Vec<Arc<Stream>>>> {
        let streams = self.order.lock();
        let is_idle = self.all_pending(&streams).is_empty()
            && self.begun.load(Ordering::Relaxed) == self.ended.load(Ordering::Acquire);
        is_idle.then_some(streams)
    }

    /// Leave to access memory at once, without a place in any stream, if a stream has nothing that would come before.
    pub fn at_once(&self, stream: &Stream) -> Option<AtOnce<'_>> {
        let streams = self.order.lock();
        self.has_none_before(stream, &streams).then(|| {
            // Others look only with the lock held.
            self.begun.store(self.begun.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
            AtOnce(self)
        })
    }

    /// Lets an operation begin when all has ended that was put into streams by now.
    pub fn precede(&self, op: &Arc<Op>) {
        for earlier in self.all_pending(&self.order.lock()) {
            earlier.precedes(op);
        }
    }

    fn all_pending(&self, streams: &[Arc<Stream>]) -> Ops {
        streams.iter().chain(self.legacy.get()).filter_map(|stream| stream.pending()).collect()
    }
}
