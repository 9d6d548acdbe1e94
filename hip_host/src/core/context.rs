//! Contexts: what work of a device has to do with other work. Each has its own legacy stream, waits for its own work
//! alone, and has limits and a heap of its own.
//!
//! HIP has one for each device, its primary one. The driver makes others with `hipCtxCreate`, as CUDA's contexts are
//! independent.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hip_runtime_sys::hipError_t;
use parking_lot::{Mutex, RwLock};

use super::device::{self, Device};
use super::heap::Heap;
use super::stream::{self, Streams};
use crate::work::op::{self, Op, Work};
use zluda_common::printf;

pub struct Context {
    pub device: &'static Device,
    /// The handle of the program.
    pub handle: AtomicUsize,
    pub streams: Streams,
    pub heap: Heap,
    pub limits: Limits,
    /// The devices whose memory its kernels may access, by number.
    peers: Mutex<Vec<usize>>,
    /// Copies and fills of other contexts that use this one's memory.
    borrowers: Mutex<Vec<Arc<Op>>>,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "context {:#x}", self.handle.load(Ordering::Relaxed))
    }
}

impl PartialEq for Context {
    fn eq(&self, other: &Context) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Context {}

/// Limits that programs set.
pub struct Limits {
    stack: AtomicUsize,
    printf: AtomicUsize,
}

/// CUDA's defaults.
const STACK: usize = 1 << 10;
const PRINTF: usize = 1 << 20;

impl Limits {
    /// Bytes of stack for each thread.
    #[inline]
    pub fn stack(&self) -> usize {
        self.stack.load(Ordering::Relaxed)
    }

    /// Sets the bytes of stack for each thread.
    pub fn set_stack(&self, bytes: usize) {
        self.stack.store(bytes, Ordering::Relaxed);
    }

    /// The size of the `printf` buffer in bytes, as the program set it; the text of kernels grows as it must.
    pub fn printf(&self) -> usize {
        self.printf.load(Ordering::Relaxed)
    }

    /// Sets the size of the `printf` buffer, in bytes.
    pub fn set_printf(&self, bytes: usize) {
        self.printf.store(bytes, Ordering::Relaxed);
    }
}

/// Those that have not ended.
static ALL: RwLock<Vec<&'static Context>> = RwLock::new(Vec::new());

/// Those that have ended: a context is never freed, since threads may still know it, but used again.
static ENDED: Mutex<Vec<&'static Context>> = Mutex::new(Vec::new());

thread_local! {
    static CURRENT: Cell<Option<&'static Context>> = const { Cell::new(None) };
}

/// The context that calls of this thread work in: at first the primary one of the first device.
#[inline]
pub fn current() -> &'static Context {
    CURRENT.get().unwrap_or_else(first)
}

#[cold]
fn first() -> &'static Context {
    let first = device::all()[0].primary();
    set_current(first);
    first
}

/// Lets calls of this thread work in a context from now on.
pub fn set_current(context: &'static Context) {
    CURRENT.set(Some(context));
}

/// All contexts.
pub fn all() -> Vec<&'static Context> {
    ALL.read().clone()
}

/// A context of a device.
pub fn create(device: &'static Device) -> &'static Context {
    let again = {
        let mut ended = ENDED.lock();
        let place = ended.iter().position(|context| std::ptr::eq(context.device, device));
        place.map(|place| ended.swap_remove(place))
    };
    let context = again.unwrap_or_else(|| {
        Box::leak(Box::new(Context {
            device,
            handle: AtomicUsize::new(0),
            streams: Streams::default(),
            heap: Heap::default(),
            limits: Limits { stack: AtomicUsize::new(STACK), printf: AtomicUsize::new(PRINTF) },
            peers: Mutex::default(),
            borrowers: Mutex::default(),
        }))
    });
    let handle: *mut Context = super::tables::tables().contexts.insert(context.into());
    context.handle.store(handle.addr(), Ordering::Relaxed);
    ALL.write().push(context);
    context
}

/// Waits for whatever may use memory: work of its context and of the calling one, of those that were let access the
/// device's, and what others copy.
pub fn wait_for_users(owner: &'static Context) {
    // Others may become borrowers meanwhile: the lock is not held.
    let borrowers = std::mem::take(&mut *owner.borrowers.lock());
    for op in borrowers {
        op.wait();
    }
    for context in all() {
        if context == owner || context == current() || context.is_peer_of(owner.device) {
            context.streams.wait_for_all();
        }
    }
}

/// Waits for all work of all devices.
pub fn wait_for_all() {
    for context in all() {
        context.streams.wait_for_all();
    }
}

/// Does something quick when all work of a device has ended that was put into streams by now; at once if it has. No
/// stream waits for it.
pub fn after_all_of(device: &'static Device, quick: impl FnOnce() + Send + 'static) {
    // No stream has this number.
    let op = Op::new(0, &device.failure, false, Work::Quick(Box::new(quick)));
    for context in all() {
        if std::ptr::eq(context.device, device) {
            context.streams.precede(&op);
        }
    }
    op::release(op);
}

/// Does something while nothing accesses memory: waits for all work, and lets none begin meanwhile.
pub fn alone<T>(body: impl FnOnce() -> T) -> T {
    loop {
        wait_for_all();
        // No context comes meanwhile, either.
        let contexts = ALL.read();
        // In one order, whatever has come and gone.
        let mut ordered: Vec<_> = contexts.iter().collect();
        ordered.sort_by_key(|context| (&raw const ***context).addr());
        let held: Option<Vec<_>> = ordered.iter().map(|context| context.streams.hold()).collect();
        if held.is_some() {
            return body();
        }
        drop(contexts);
        std::thread::yield_now();
    }
}

impl Context {
    /// Waits for all work, shows what kernels printed, and returns the error that they left.
    pub fn synchronize(&self) -> Result<(), hipError_t> {
        self.streams.wait_for_all();
        printf::flush();
        self.device.error().map_or(Ok(()), Err)
    }

    /// Notes work of another context that uses this one's memory.
    pub fn add_borrower(&self, op: Arc<Op>) {
        let mut borrowers = self.borrowers.lock();
        borrowers.retain(|earlier| !earlier.has_ended());
        borrowers.push(op);
    }

    /// Lets kernels access another device's memory; `hipErrorPeerAccessAlreadyEnabled` where they may.
    pub fn add_peer(&self, peer: &Device) -> Result<(), hipError_t> {
        let mut peers = self.peers.lock();
        if peers.contains(&peer.ordinal) {
            return Err(hipError_t::hipErrorPeerAccessAlreadyEnabled);
        }
        peers.push(peer.ordinal);
        Ok(())
    }

    /// Takes [`Context::add_peer`] back; `hipErrorPeerAccessNotEnabled` where nobody did it.
    pub fn remove_peer(&self, peer: &Device) -> Result<(), hipError_t> {
        let mut peers = self.peers.lock();
        let place = peers.iter().position(|known| *known == peer.ordinal);
        let place = place.ok_or(hipError_t::hipErrorPeerAccessNotEnabled)?;
        peers.swap_remove(place);
        Ok(())
    }

    fn is_peer_of(&self, device: &Device) -> bool {
        self.peers.lock().contains(&device.ordinal)
    }

    /// Makes the context as it was in the beginning. It has no work.
    pub fn reset(&self) {
        self.heap.reset();
        self.heap.set_default_limit();
        self.limits.set_stack(STACK);
        self.limits.set_printf(PRINTF);
        self.peers.lock().clear();
    }

    /// Ends the context, when its work has ended.
    pub fn end(&'static self) {
        self.streams.wait_for_all();
        ALL.write().retain(|context| *context != self);
        stream::end_all(|stream| stream.context == self);
        self.reset();
        ENDED.lock().push(self);
    }
}
