//! Contexts and each thread's stack of them.

pub(crate) mod green;
pub(crate) mod peer;
pub(crate) mod place;
mod presence;
pub(crate) mod primary;
pub(crate) mod storage;

use crate::core::context::green::Green;
use crate::core::context::place::Place;
use crate::core::context::storage::LocalStorage;
use crate::core::device::Device;
use crate::core::device::backend::Services;
use crate::core::device::driver::{Driver, driver};
use crate::core::error::{check, is_sticky};
use crate::core::tools::core_dump;
use crate::os;
use cuda_types::cuda::{CUcontext, CUerror, CUfunc_cache, CUlimit, CUres};
use hip_runtime_sys::{hipCtx_t, hipError_t, hipLimit_t};
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use zluda_common::handle::{HandleTable, Kind};

#[derive(Debug)]
pub(crate) struct Context {
    /// A number that no other context of the process has had, and no earlier life of a primary one.
    id: AtomicU64,
    handle: u64,
    /// The ordinal of the device.
    pub(crate) device: i32,
    pub(crate) is_primary: bool,
    /// Users, counted by `cuCtxAttach` and `cuCtxDetach`.
    pub(crate) attached: AtomicUsize,
    flags: AtomicU32,
    alive: AtomicBool,
    /// Held by what must not find the context at its end halfway, and by the end.
    life: RwLock<()>,
    /// The code of the error after which the context is of no use any more, or 0.
    sticky: AtomicU32,
    pub(crate) settings: Mutex<Settings>,
    pub(crate) storage: LocalStorage,
    /// Memory for the barriers of cooperative launches: its address, or 0, and the number of the next one to be used.
    pub(crate) workspaces: Mutex<(u64, usize)>,
    pub(crate) services: Box<dyn Services>,
    hip: HipContext,
    /// The contexts whose memory kernels may access, by number, and the provider's numbers of their devices.
    pub(crate) peers: Mutex<Vec<(u64, i32)>>,
}

/// A context that does not end meanwhile. Whoever has one must not wait for work.
pub(crate) struct Alive<'a> {
    pub(crate) context: &'a Arc<Context>,
    _guard: RwLockReadGuard<'a, ()>,
}

/// The provider's context, which is null where it is the device's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HipContext(hipCtx_t);

// SAFETY: HIP's contexts may be used from any thread.
unsafe impl Send for HipContext {}
// SAFETY: as above.
unsafe impl Sync for HipContext {}

impl HipContext {
    const OF_DEVICE: HipContext = HipContext(null_mut());

    /// A context of its own, where the provider has such.
    fn new(driver: &Driver, device: i32) -> CUres<HipContext> {
        let mut context = null_mut();
        if driver.has_contexts() {
            let device = driver.device(device)?.hip;
            // SAFETY: `context` outlives the call.
            check(unsafe { driver.hip.hipCtxCreate(&mut context, 0, device) })?;
        }
        Ok(HipContext(context))
    }

    fn end(self, driver: &Driver) {
        if self != HipContext::OF_DEVICE {
            // SAFETY: the provider has made it, and nobody uses it any more.
            let _ = unsafe { driver.hip.hipCtxDestroy(self.0) };
            let _ = SELECTED.try_with(|selected| selected.set(NOTHING));
        }
    }
}

/// The settings that programs make and ask for again.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) cache_config: CUfunc_cache,
    pub(crate) core_dump: core_dump::Settings,
    limits: [usize; LIMITS],
}

const LIMITS: usize = 11;

/// The limits of a new context, as on NVIDIA's devices.
const DEFAULT_LIMITS: [usize; LIMITS] = [1 << 10, 1 << 20, 8 << 20, 2, 2048, 64, 0, 0, 0, 0, 0];

static CONTEXTS: LazyLock<HandleTable<Context>> = LazyLock::new(|| HandleTable::new(Kind::CONTEXT));

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// The functions that end what belongs to a context, in this order. They get the number of its life.
static ENDINGS: OnceLock<&'static [fn(u64)]> = OnceLock::new();

/// Lets these functions run, in this order, when a context ends; only the first call counts.
pub(crate) fn end_with(endings: &'static [fn(u64)]) {
    let _ = ENDINGS.set(endings);
}

/// Ends what belongs to a context, green or not, the number of whose life is `id`.
fn forget(id: u64) {
    for end in ENDINGS.get().copied().unwrap_or_default() {
        end(id);
    }
}

thread_local! {
    /// Has no destructor: programs call the driver in exit handlers, which run after the destructors of the
    /// main thread's variables.
    static STACK: ManuallyDrop<RefCell<Vec<Place>>> =
        const { ManuallyDrop::new(RefCell::new(Vec::new())) };
    static END_OF_THREAD: EndOfThread = const { EndOfThread };
    /// The thread runs a function of the program that waited in a stream.
    static IN_STREAM: Cell<bool> = const { Cell::new(false) };
    /// The device and the context that HIP takes calls of this thread for.
    static SELECTED: Cell<(i32, HipContext)> = const { Cell::new(NOTHING) };
}

const NOTHING: (i32, HipContext) = (-1, HipContext::OF_DEVICE);

/// Takes the contexts off a thread's stack when it ends.
struct EndOfThread;

impl Drop for EndOfThread {
    fn drop(&mut self) {
        // The main thread ends with the process.
        if !os::is_main_thread() {
            let contexts = STACK.with(|stack| stack.take());
            drop(contexts);
        }
    }
}

/// The context that a call works in.
pub(crate) struct Current {
    pub(crate) driver: &'static Driver,
    pub(crate) context: Arc<Context>,
    /// The green context through which it works there.
    pub(crate) green: Option<Arc<Green>>,
}

impl Context {
    fn new(device: i32, flags: u32, is_primary: bool) -> CUres<Arc<Context>> {
        let driver = driver()?;
        let services = driver.backend.services();
        let hip = match is_primary {
            true => HipContext::OF_DEVICE,
            false => HipContext::new(driver, device)?,
        };
        if !is_primary {
            presence::begin(driver);
        }
        let mut made = None;
        CONTEXTS.insert_with(|handle| {
            let context = Arc::new(Context {
                id: AtomicU64::new(NEXT_ID.fetch_add(1, Ordering::Relaxed)),
                handle,
                device,
                is_primary,
                attached: AtomicUsize::new(1),
                flags: AtomicU32::new(flags),
                alive: AtomicBool::new(!is_primary),
                life: RwLock::default(),
                sticky: AtomicU32::new(0),
                settings: Mutex::new(Settings::default()),
                storage: LocalStorage::default(),
                workspaces: Mutex::default(),
                services,
                hip,
                peers: Mutex::default(),
            });
            made = Some(context.clone());
            context
        });
        made.ok_or_else(|| {
            if !is_primary {
                hip.end(driver);
                presence::end(driver);
            }
            CUerror::OUT_OF_MEMORY
        })
    }

    /// The primary context of a device, not alive yet.
    fn new_primary(device: i32) -> CUres<Arc<Context>> {
        Self::new(device, 0, true)
    }

    /// A context on a device, alive.
    pub(crate) fn create(device: i32, flags: u32) -> CUres<Arc<Context>> {
        Self::new(device, flags, false)
    }

    /// The context with this handle, alive or not, which is the primary one for that of a green context;
    /// `INVALID_CONTEXT` if there is none.
    pub(crate) fn from_handle(handle: CUcontext) -> CUres<Arc<Context>> {
        if let Some(context) = CONTEXTS.get(handle as u64) {
            return Ok(context);
        }
        let green = Green::from_handle(handle as u64).ok_or(CUerror::INVALID_CONTEXT)?;
        green.check_alive()?;
        Ok(green.context.clone())
    }

    /// The program's handle.
    pub(crate) fn handle(&self) -> CUcontext {
        self.handle as CUcontext
    }

    /// The number of the context's present life, which no other context has.
    pub(crate) fn id(&self) -> u64 {
        self.id.load(Ordering::Relaxed)
    }

    /// Whether the context has not ended.
    pub(crate) fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    /// Lets the context live until the guard is dropped; `CONTEXT_IS_DESTROYED` where it has ended.
    pub(crate) fn keep_alive(self: &Arc<Self>) -> CUres<Alive<'_>> {
        // The end alone holds it against others, and the context has ended by then. Who waits for that, of those who let it
        // live, has to wait for nobody here: they may hold a lock that the caller's is behind.
        let life = self.is_alive().then(|| self.life.try_read_recursive()).flatten();
        match life.filter(|_| self.is_alive()) {
            Some(guard) => Ok(Alive { context: self, _guard: guard }),
            None => Err(CUerror::CONTEXT_IS_DESTROYED),
        }
    }

    /// The flags of the context, as `cuCtxGetFlags` tells them.
    pub(crate) fn flags(&self) -> u32 {
        self.flags.load(Ordering::Relaxed)
    }

    /// Replaces the flags.
    pub(crate) fn set_flags(&self, flags: u32) {
        self.flags.store(flags, Ordering::Relaxed);
    }

    /// The context's device.
    pub(crate) fn device(&self) -> CUres<&'static Device> {
        driver()?.device(self.device)
    }

    /// Begins a primary context's next life, if it is not alive.
    pub(crate) fn revive(&self, driver: &Driver, flags: u32) {
        if !self.is_alive() {
            presence::begin(driver);
            self.id.store(NEXT_ID.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
            self.set_flags(flags);
            self.alive.store(true, Ordering::Release);
        }
    }

    /// Ends the context: everything in it goes. A primary context may live again later, in a fresh state.
    pub(crate) fn end(self: &Arc<Self>) {
        if !self.alive.swap(false, Ordering::AcqRel) {
            return;
        }
        self.storage.clear(self.handle());
        let mut failed = false;
        if let Ok(driver) = driver() {
            select(driver, self.device, self.hip);
            // Kernels may still use what goes now. What they end with no longer concerns anybody.
            // SAFETY: has no preconditions.
            failed = unsafe { driver.hip.hipDeviceSynchronize() } != hipError_t::hipSuccess;
        }
        self.services.end();
        // What another thread has begun to allocate is known by then.
        drop(self.life.write());
        forget(self.id());
        *self.workspaces.lock() = (0, 0);
        self.peers.lock().clear();
        if failed || self.sticky.load(Ordering::Acquire) != 0 {
            self.clean_device();
        }
        if let Ok(driver) = driver() {
            self.hip.end(driver);
            presence::end(driver);
        }
        if self.is_primary {
            *self.settings.lock() = Settings::default();
            self.sticky.store(0, Ordering::Release);
        } else {
            CONTEXTS.remove(self.handle);
        }
    }

    /// A kernel's error stays with HIP's device, whose contexts are all one. Nothing of a dead context is wanted any
    /// more, but that of others on the device may be.
    fn clean_device(&self) {
        let is_other = |other: &Context| other.device == self.device && other.is_alive();
        if CONTEXTS.all().iter().any(|(_, other)| is_other(other)) {
            return;
        }
        if let Ok(driver) = driver() {
            use_device(driver, self.device);
            // SAFETY: has no preconditions.
            let _ = unsafe { driver.hip.hipDeviceReset() };
        }
    }

    /// `CONTEXT_IS_DESTROYED` or the error that a kernel has left.
    pub(crate) fn check_usable(&self) -> CUres {
        if !self.is_alive() {
            return Err(CUerror::CONTEXT_IS_DESTROYED);
        }
        self.check_sticky()
    }

    fn check_sticky(&self) -> CUres {
        if self.services.error().is_err() {
            // The program may call nothing that synchronises any more: this is where it sees what kernels left.
            self.keep(self.services.settle())?;
        }
        match self.sticky.load(Ordering::Acquire) {
            0 => Ok(()),
            code => Err(CUerror::of(cuda_types::cuda::CUresult(code))),
        }
    }

    /// The result of a HIP call in this context: an error that a kernel left stays from now on.
    pub(crate) fn check(&self, error: hipError_t) -> CUres {
        if error == hipError_t::hipSuccess {
            return Ok(());
        }
        if error == hipError_t::hipErrorNotSupported {
            // Providers refuse to wait within a stream.
            check_permitted()?;
        }
        self.keep(check(error))
    }

    /// The result of a HIP call after which all work of a stream, or of the context, is done: what kernels
    /// asked for is done too.
    pub(crate) fn check_synchronized(&self, error: hipError_t) -> CUres {
        let settled = self.keep(self.services.settle());
        self.check(error).and(settled)
    }

    /// The error that a kernel has left and the provider knows nothing of.
    pub(crate) fn error_of_kernels(&self) -> CUres {
        self.services.error()
    }

    /// Keeps an error that a kernel left, for all calls to come.
    fn keep(&self, result: CUres) -> CUres {
        if let Err(error) = result
            && is_sticky(error)
            && self
                .sticky
                .compare_exchange(0, error.0.get(), Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        {
            tracing::error!("a kernel failed with {error}; its context is of no use from now on");
        }
        result
    }

    /// A limit; `INVALID_VALUE` for one that does not exist.
    pub(crate) fn limit(&self, limit: CUlimit) -> CUres<usize> {
        let limits = self.settings.lock().limits;
        limits.get(limit.0 as usize).copied().ok_or(CUerror::INVALID_VALUE)
    }

    /// Sets a limit, in the unit that it has in CUDA; `INVALID_VALUE` for limits that there are not.
    pub(crate) fn set_limit(&self, driver: &Driver, limit: CUlimit, value: usize) -> CUres {
        let hip = match limit {
            CUlimit::CU_LIMIT_STACK_SIZE => Some(hipLimit_t::hipLimitStackSize),
            CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE => Some(hipLimit_t::hipLimitPrintfFifoSize),
            CUlimit::CU_LIMIT_MALLOC_HEAP_SIZE => Some(hipLimit_t::hipLimitMallocHeapSize),
            _ => None,
        };
        if let Some(hip) = hip {
            // SAFETY: has no preconditions.
            match self.check(unsafe { driver.hip.hipDeviceSetLimit(hip, value) }) {
                // The provider manages without this limit.
                Ok(()) | Err(CUerror::NOT_SUPPORTED | CUerror::UNSUPPORTED_LIMIT) => {}
                Err(error) => return Err(error),
            }
        }
        let mut settings = self.settings.lock();
        let slot = settings.limits.get_mut(limit.0 as usize).ok_or(CUerror::INVALID_VALUE)?;
        *slot = value;
        Ok(())
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            cache_config: CUfunc_cache::CU_FUNC_CACHE_PREFER_NONE,
            core_dump: core_dump::of_new_context(),
            limits: DEFAULT_LIMITS,
        }
    }
}

impl Current {
    /// What would be current for the same work.
    pub(crate) fn place(&self) -> Place {
        Place { context: self.context.clone(), green: self.green.clone() }
    }

    /// The result of a HIP call in this context.
    pub(crate) fn check(&self, error: hipError_t) -> CUres {
        self.context.check(error)
    }

    /// As above, after a call that waits.
    pub(crate) fn check_synchronized(&self, error: hipError_t) -> CUres {
        self.context.check_synchronized(error)
    }

    /// The context's device.
    pub(crate) fn device(&self) -> CUres<&'static Device> {
        self.driver.device(self.context.device)
    }
}

/// Runs a function of the program that waited in a stream.
pub(crate) fn run_in_stream(function: impl FnOnce()) {
    IN_STREAM.set(true);
    function();
    IN_STREAM.set(false);
}

/// Refuses what functions that run in streams must not do. "Callbacks must not make any CUDA API calls. Attempting to
/// use CUDA APIs may result in CUDA_ERROR_NOT_PERMITTED": programs tell by this error that they are in one.
pub(crate) fn check_permitted() -> CUres {
    if IN_STREAM.get() { Err(CUerror::NOT_PERMITTED) } else { Ok(()) }
}

/// The calling thread's current context, usable, its device selected in HIP.
///
/// `INVALID_CONTEXT` if there is none, `CONTEXT_IS_DESTROYED`, or the error that a kernel has left.
// See `StreamArg::enter`.
#[inline(always)]
pub(crate) fn current() -> CUres<Current> {
    let driver = driver()?;
    check_permitted()?;
    let Place { context, green } = top().ok_or(CUerror::INVALID_CONTEXT)?;
    if let Some(green) = &green {
        green.check_alive()?;
    }
    context.check_usable()?;
    select(driver, context.device, context.hip);
    Ok(Current { driver, context, green })
}

/// Enters a context that need not be current: a stream's, say.
pub(crate) fn enter(context: &Arc<Context>) -> CUres<Current> {
    let driver = driver()?;
    context.check_usable()?;
    select(driver, context.device, context.hip);
    Ok(Current { driver, context: context.clone(), green: None })
}

/// The context with this handle, or the current one for null.
pub(crate) fn handle_or_current(handle: CUcontext) -> CUres<Current> {
    if handle.is_null() { current() } else { Place::from_handle(handle)?.enter() }
}

/// Lets HIP take calls of this thread for a device's own context.
pub(crate) fn use_device(driver: &Driver, device: i32) {
    select(driver, device, HipContext::OF_DEVICE);
}

fn select(driver: &Driver, device: i32, context: HipContext) {
    let _ = SELECTED.try_with(|selected| {
        if selected.get() == (device, context) {
            return;
        }
        let Ok(hip_device) = driver.device(device).map(|device| device.hip) else { return };
        // SAFETY: has no preconditions; the context is the provider's.
        let error = unsafe {
            match context {
                HipContext::OF_DEVICE => driver.hip.hipSetDevice(hip_device),
                HipContext(context) => driver.hip.hipCtxSetCurrent(context),
            }
        };
        selected.set(if check(error).is_ok() { (device, context) } else { NOTHING });
    });
}

/// The error that a kernel has left in the current context.
pub(crate) fn error_of_current() -> Option<CUerror> {
    let Place { context, .. } = top().filter(|top| top.context.is_alive())?;
    context.check_sticky().err()
}

/// The current context, usable or not.
pub(crate) fn top() -> Option<Place> {
    STACK.with(|stack| stack.borrow().last().cloned())
}

/// Makes a context current, above the one that is.
pub(crate) fn push(place: Place) -> CUres {
    with_stack(|stack| stack.push(place));
    Ok(())
}

/// Takes the current context off the stack; `INVALID_CONTEXT` if there is none.
pub(crate) fn pop() -> CUres<Place> {
    with_stack(Vec::pop).ok_or(CUerror::INVALID_CONTEXT)
}

/// Replaces the top of the stack; `None` takes it off.
pub(crate) fn set_top(place: Option<Place>) -> CUres {
    with_stack(|stack| {
        stack.pop();
        stack.extend(place);
    });
    Ok(())
}

fn with_stack<R>(change: impl FnOnce(&mut Vec<Place>) -> R) -> R {
    let _ = END_OF_THREAD.try_with(|_| ());
    STACK.with(|stack| change(&mut stack.borrow_mut()))
}
