//! Grids that a grid launches: CUDA's dynamic parallelism.
//!
//! A grid ends when its own blocks and all of its children have ended, then what it launched to come after it, one
//! after the other. Children of one stream of the grid run in their order; each block has a default stream.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use hip_host::work::op::{self, Next, Op, Work};
use hip_runtime_sys::device_runtime::{Child, Error, PARAMETER_BYTES};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The default stream of a block; `cudaStreamLegacy` and `cudaStreamPerThread`, which an H100 takes too, and whose
/// work it begins without regard to the former's. Here they are one stream.
const DEFAULTS: [u64; 3] = [0, 1, 2];
/// `cudaStreamTailLaunch` and `cudaStreamFireAndForget`.
const TAIL: u64 = 3;
const FIRE_AND_FORGET: u64 = 4;

/// A stream in which children keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// The default stream of the block of this number.
    OfBlock(u64),
    /// One that the grid has made.
    Made(u64),
}

/// The stream that a child is put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildStream {
    In(Stream),
    FireAndForget,
    Tail,
}

/// Room for a launch's parameters, and what was said of it with the room.
pub struct Buffer {
    pub child: Child,
    _parameters: Box<Room>,
}

#[repr(align(256))]
struct Room([u8; PARAMETER_BYTES]);

/// The alignment of room for parameters, which none of them exceeds. CUB asks for 64.
pub const ROOM_ALIGNMENT: u64 = align_of::<Room>() as u64;

// SAFETY: the pointer is to the buffer's own memory; the code is a handle.
unsafe impl Send for Buffer {}

/// Children, streams and events of a grid. Belongs to the grid's operation from the first time that one of its kernels
/// asks.
pub struct Family {
    /// Children that have begun or wait in a stream, and one more until the grid's own blocks have ended.
    pending: AtomicU32,
    inner: Mutex<Inner>,
    has_errors: AtomicBool,
}

#[derive(Default)]
struct Inner {
    /// The operations that the next child of a stream comes after.
    before: FxHashMap<Stream, SmallVec<[Arc<Op>; 2]>>,
    streams: FxHashSet<u64>,
    /// The operations that each event stands for.
    events: FxHashMap<u64, SmallVec<[Arc<Op>; 2]>>,
    tails: VecDeque<Work>,
    buffers: FxHashMap<u64, Buffer>,
    /// Of each thread, by the numbers of its block and in that, what `cudaGetLastError` returns.
    errors: FxHashMap<(u64, u64), u32>,
}

/// Handles of streams and events.
fn new_handle() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    0xc4d0 << 48 | NEXT.fetch_add(1, Ordering::Relaxed) << 4
}

impl Default for Family {
    fn default() -> Self {
        Family {
            pending: AtomicU32::new(1),
            inner: Mutex::default(),
            has_errors: AtomicBool::new(false),
        }
    }
}

impl Family {
    /// The place that a handle names in a block; `InvalidValue` if it names none.
    pub fn place(&self, handle: u64, block: u64) -> Result<ChildStream, Error> {
        match handle {
            _ if DEFAULTS.contains(&handle) => Ok(ChildStream::In(Stream::OfBlock(block))),
            TAIL => Ok(ChildStream::Tail),
            FIRE_AND_FORGET => Ok(ChildStream::FireAndForget),
            made if self.inner.lock().streams.contains(&made) => {
                Ok(ChildStream::In(Stream::Made(made)))
            }
            _ => Err(Error::InvalidValue),
        }
    }

    /// A stream of `place`; `InvalidValue` for those that have no events.
    pub fn stream(&self, handle: u64, block: u64) -> Result<Stream, Error> {
        match self.place(handle, block)? {
            ChildStream::In(stream) => Ok(stream),
            ChildStream::FireAndForget | ChildStream::Tail => Err(Error::InvalidValue),
        }
    }

    /// Takes room for a launch; returns where its parameters go.
    pub fn buffer(&self, child: Child) -> u64 {
        let mut room = Box::new(Room([0; PARAMETER_BYTES]));
        let parameters = room.0.as_mut_ptr();
        let buffer = Buffer { child: Child { parameters, ..child }, _parameters: room };
        self.inner.lock().buffers.insert(parameters as u64, buffer);
        parameters as u64
    }

    /// Says what the launch is whose parameters are here; takes room for those of one without. Returns where they are, which
    /// is no room if it was none.
    pub fn describe(&self, parameters: u64, child: Child) -> u64 {
        if parameters == 0 {
            return self.buffer(child);
        }
        if let Some(buffer) = self.inner.lock().buffers.get_mut(&parameters) {
            buffer.child = Child { parameters: buffer.child.parameters, ..child };
        }
        parameters
    }

    /// Ends the room whose parameters are here.
    pub fn take_buffer(&self, parameters: u64) -> Result<Buffer, Error> {
        self.inner.lock().buffers.remove(&parameters).ok_or(Error::InvalidValue)
    }

    /// Launches a child after the grid, of which there are `most` at most.
    pub fn launch_tail(&self, work: Work, most: usize) -> Result<(), Error> {
        let tails = &mut self.inner.lock().tails;
        if tails.len() >= most {
            return Err(Error::TooManyPending);
        }
        tails.push_back(work);
        Ok(())
    }

    /// Launches a child of the grid whose operation is `parent`, in a stream or without.
    pub fn launch(&self, parent: &Arc<Op>, stream: Option<Stream>, work: Work) {
        let op = {
            let mut inner = self.inner.lock();
            self.pending.fetch_add(1, Ordering::Relaxed);
            let op = Op::of_parent(parent, work);
            if let Some(stream) = stream {
                let before = inner.before.entry(stream).or_default();
                for earlier in before.drain(..) {
                    earlier.precedes(&op);
                }
                before.push(op.clone());
            }
            op
        };
        op::release(op);
    }

    /// Makes a stream, and returns its handle.
    pub fn new_stream(&self) -> u64 {
        let handle = new_handle();
        self.inner.lock().streams.insert(handle);
        handle
    }

    /// The stream's children go on.
    pub fn end_stream(&self, handle: u64) -> Result<(), Error> {
        let known = self.inner.lock().streams.remove(&handle);
        if known { Ok(()) } else { Err(Error::InvalidValue) }
    }

    /// Makes an event that nothing has been recorded in, and returns its handle.
    pub fn new_event(&self) -> u64 {
        let handle = new_handle();
        self.inner.lock().events.insert(handle, SmallVec::new());
        handle
    }

    /// Destroys an event; `InvalidValue` for what is none.
    pub fn end_event(&self, handle: u64) -> Result<(), Error> {
        self.inner.lock().events.remove(&handle).map(drop).ok_or(Error::InvalidValue)
    }

    /// Makes an event stand for what a stream has now.
    pub fn record(&self, handle: u64, stream: Stream) -> Result<(), Error> {
        let mut inner = self.inner.lock();
        let now = inner.before.get(&stream).cloned().unwrap_or_default();
        *inner.events.get_mut(&handle).ok_or(Error::InvalidValue)? = now;
        Ok(())
    }

    /// Makes a stream's next child come after an event.
    pub fn wait(&self, stream: Stream, event: u64) -> Result<(), Error> {
        let mut inner = self.inner.lock();
        let recorded = inner.events.get(&event).cloned().ok_or(Error::InvalidValue)?;
        inner.before.entry(stream).or_default().extend(recorded);
        Ok(())
    }

    /// The code that `cudaGetLastError` returns to a thread, 0 for none; `thread` is the number of its block, and its
    /// own in that.
    pub fn last_error(&self, thread: (u64, u64)) -> u32 {
        if !self.has_errors.load(Ordering::Relaxed) {
            return 0;
        }
        self.inner.lock().errors.get(&thread).copied().unwrap_or(0)
    }

    /// Sets the code that `cudaGetLastError` returns to a thread; 0 forgets it.
    pub fn set_last_error(&self, thread: (u64, u64), error: u32) {
        if error == 0 && !self.has_errors.load(Ordering::Relaxed) {
            return;
        }
        self.inner.lock().errors.insert(thread, error);
        self.has_errors.store(true, Ordering::Relaxed);
    }
}

impl op::Family for Family {
    /// A part of the grid has ended: its own blocks, or a child.
    fn leave(&self, grid: &Arc<Op>) -> Next {
        if self.pending.fetch_sub(1, Ordering::AcqRel) != 1 {
            return Next::Wait;
        }
        let mut inner = self.inner.lock();
        if let Some(work) = inner.tails.pop_front() {
            self.pending.store(1, Ordering::Relaxed);
            return Next::Begin(Op::of_parent(grid, work));
        }
        // Operations know their parents.
        *inner = Inner::default();
        Next::End
    }
}
