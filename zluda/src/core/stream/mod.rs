//! Streams.

mod attribute;
pub(crate) mod event;
pub(crate) mod memory_operation;
#[cfg(target_os = "linux")]
mod mirrored;
pub(crate) mod of_context;
pub(crate) mod own_memory;
pub(crate) mod task;

use crate::convert::FromC;
use crate::core::context::place::Place;
use crate::core::context::{Context, Current, current, enter, run_in_stream};
use crate::core::device::driver::driver;
use crate::core::error::check;
use crate::core::stream::event::Marker;
use attribute::Attributes;
use cuda_types::cuda::{
    CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, CUerror, CUhostFn, CUres, CUresult, CUstream,
    CUstreamCallback,
};
use hip_runtime_sys::{hipError_t, hipStream_t, hipStreamNonBlocking, hipStreamPerThread};
use parking_lot::Mutex;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind};

/// The highest and the lowest priority of streams: the first is the more urgent one.
pub(crate) const PRIORITIES: (i32, i32) = (-5, 0);

#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) place: Place,
    hip: HipStream,
    pub(crate) flags: u32,
    /// That it was created with.
    pub(crate) priority: i32,
    pub(crate) id: u64,
    attributes: Mutex<Attributes>,
}

/// The provider's stream, destroyed when nobody uses it any more.
#[derive(Debug)]
struct HipStream(hipStream_t);

// SAFETY: HIP's streams may be used from any thread.
unsafe impl Send for HipStream {}
// SAFETY: as above.
unsafe impl Sync for HipStream {}

impl Drop for HipStream {
    fn drop(&mut self) {
        if let Ok(driver) = driver() {
            // SAFETY: the stream was created by this provider and is not used any more.
            let _ = unsafe { driver.hip.hipStreamDestroy(self.0) };
        }
    }
}

static STREAMS: LazyLock<HandleTable<Stream>> = LazyLock::new(|| HandleTable::new(Kind::STREAM));
/// Numbers of streams; the first two are those of the default streams.
static NEXT_ID: AtomicU64 = AtomicU64::new(3);

/// A stream as an argument: checked, whatever its handle was.
#[derive(Clone, Debug)]
pub(crate) enum StreamArg {
    Legacy,
    PerThread,
    Created(Arc<Stream>),
}

impl FromC<CUstream> for StreamArg {
    unsafe fn from_c(handle: CUstream) -> CUres<Self> {
        from_handle(handle)
    }
}

/// The stream with this handle; `INVALID_HANDLE` if there is none.
pub(crate) fn from_handle(handle: CUstream) -> CUres<StreamArg> {
    if handle.is_null() || handle == CU_STREAM_LEGACY {
        return Ok(StreamArg::Legacy);
    }
    if handle == CU_STREAM_PER_THREAD {
        return Ok(StreamArg::PerThread);
    }
    STREAMS.get(handle as u64).map(StreamArg::Created).ok_or(CUerror::INVALID_HANDLE)
}

/// A stream and the context in which work is put into it.
pub(crate) struct Target {
    pub(crate) current: Current,
    pub(crate) hip: hipStream_t,
}

impl StreamArg {
    /// Enters the stream's context: that of a default stream is the current one. `INVALID_HANDLE` for a thread's default
    /// stream in a green context.
    // Inlined, as [`current`] is: a result of several words that is moved from frame to frame is written by words and read
    // by vectors, for which processors wait, and most calls come by here.
    #[inline(always)]
    pub(crate) fn enter(&self) -> CUres<Target> {
        let (current, hip) = match self {
            StreamArg::Legacy => (current()?, null_mut()),
            StreamArg::PerThread => {
                let current = current()?;
                // An H100's green contexts have none.
                if current.green.is_some() {
                    return Err(CUerror::INVALID_HANDLE);
                }
                (current, hipStreamPerThread)
            }
            StreamArg::Created(stream) => (stream.place.enter()?, stream.hip.0),
        };
        Ok(Target { current, hip })
    }

    /// The legacy stream waits for it, and it for that one.
    pub(crate) fn is_blocking(&self) -> bool {
        self.flags() & hipStreamNonBlocking == 0
    }

    /// The number of the green context that the stream was created in.
    pub(crate) fn green(&self) -> Option<u64> {
        match self {
            StreamArg::Legacy | StreamArg::PerThread => None,
            StreamArg::Created(stream) => stream.place.green.as_ref().map(|green| green.id),
        }
    }

    /// The flags that the stream was created with.
    pub(crate) fn flags(&self) -> u32 {
        match self {
            StreamArg::Legacy | StreamArg::PerThread => 0,
            StreamArg::Created(stream) => stream.flags,
        }
    }

    /// The priority that the stream was created with; lower numbers are greater ones.
    pub(crate) fn priority(&self) -> i32 {
        match self {
            StreamArg::Legacy | StreamArg::PerThread => 0,
            StreamArg::Created(stream) => stream.priority,
        }
    }

    /// A number that no other stream of the process has, nor another thread's default stream.
    pub(crate) fn id(&self) -> u64 {
        thread_local! {
            static THREAD_ID: u64 = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        }
        match self {
            StreamArg::Legacy => 1,
            StreamArg::PerThread => THREAD_ID.try_with(|id| *id).unwrap_or(2),
            StreamArg::Created(stream) => stream.id,
        }
    }
}

impl Target {
    /// Puts work of a context, which may be another one, into this place of the stream.
    pub(crate) fn in_context(
        &self,
        context: &Arc<Context>,
        put: impl FnOnce(&Target) -> CUres,
    ) -> CUres {
        if context.id() == self.current.context.id() {
            return put(&Target { current: enter(context)?, hip: self.hip });
        }
        // A stream of the other one does it, between what this one has and what it gets.
        let begin = Marker::new(&enter(&self.current.context)?)?;
        begin.record(self)?;
        let there = enter(context)?;
        let (other, end) = (PrivateStream::new(&there)?, Marker::new(&there)?);
        let target = other.target(context)?;
        begin.hold(&target)?;
        put(&target)?;
        end.record(&target)?;
        enter(&self.current.context)?;
        end.hold(self)
    }

    /// Waits until all work of the stream has ended, and returns its error.
    pub(crate) fn synchronize(&self) -> CUres {
        // SAFETY: the stream has been checked.
        self.current
            .check_synchronized(unsafe { self.current.driver.hip.hipStreamSynchronize(self.hip) })
    }
}

/// Creates a stream; a priority out of range becomes the nearest one.
pub(crate) fn create(current: &Current, flags: u32, priority: i32) -> CUres<CUstream> {
    let hip = &current.driver.hip;
    let priority = priority.clamp(PRIORITIES.0, PRIORITIES.1);
    let mut stream = null_mut();
    // CUDA's flags have HIP's values. A provider that has fewer priorities takes the nearest.
    // SAFETY: `stream` outlives the call.
    current.check(unsafe { hip.hipStreamCreateWithPriority(&mut stream, flags, priority) })?;
    let (place, stream) = (current.place(), HipStream(stream));
    if let Some(green) = &place.green {
        // SAFETY: the stream is the one that was just created.
        current.check(unsafe { hip.limit_stream(stream.0, green.description.count) })?;
    }
    let target = Target { current: place.enter()?, hip: stream.0 };
    of_context::hold_new(&target, &place)?;
    let (id, attributes) = (NEXT_ID.fetch_add(1, Ordering::Relaxed), Mutex::default());
    let stream = Stream { place, hip: stream, flags, priority, id, attributes };
    let handle = STREAMS.insert(Arc::new(stream)).ok_or(CUerror::OUT_OF_MEMORY)?;
    Ok(handle as CUstream)
}

/// A stream of the driver's own, which waits for nobody.
#[derive(Debug)]
pub(crate) struct PrivateStream(HipStream);

impl PrivateStream {
    /// Creates a stream on the context's device.
    pub(crate) fn new(current: &Current) -> CUres<PrivateStream> {
        let mut stream = null_mut();
        let hip = &current.driver.hip;
        // SAFETY: `stream` outlives the call.
        let error = unsafe { hip.hipStreamCreateWithFlags(&mut stream, hipStreamNonBlocking) };
        current.check(error)?;
        Ok(PrivateStream(HipStream(stream)))
    }

    /// The stream for work of a context.
    pub(crate) fn target(&self, context: &Arc<Context>) -> CUres<Target> {
        Ok(Target { current: enter(context)?, hip: self.0.0 })
    }
}

/// Ends a handle; the stream goes when its work is done and nobody has it. `INVALID_HANDLE` for what cannot be
/// destroyed, `CONTEXT_IS_DESTROYED` for the streams of a green context that has ended.
pub(crate) fn destroy(handle: CUstream) -> CUres<Arc<Stream>> {
    if let Some(green) = STREAMS.get(handle as u64).and_then(|stream| stream.place.green.clone()) {
        green.check_alive()?;
    }
    STREAMS.remove(handle as u64).ok_or(CUerror::INVALID_HANDLE)
}

/// Ends the streams of a context, green or not, that ends.
pub(crate) fn end_context(context: u64) {
    attribute::end_context(context);
    for (handle, stream) in STREAMS.all() {
        if stream.place.context.id() == context || stream.place.id() == context {
            STREAMS.remove(handle);
        }
    }
}

/// A function of the program that waits in a stream, with the data that it gets.
struct Waiting {
    context: Arc<Context>,
    function: Function,
    data: *mut c_void,
}

enum Function {
    Callback(CUstream, unsafe extern "C" fn(CUstream, CUresult, *mut c_void)),
    Host(unsafe extern "C" fn(*mut c_void)),
    /// One of the driver's own.
    Own(Box<dyn FnOnce() + Send>),
}

impl Waiting {
    /// Callbacks learn of an error that a kernel has left; host functions are not called then.
    fn run(self, status: CUres) {
        let code = status.err().map_or(CUresult::CUDA_SUCCESS, CUresult::from);
        run_in_stream(|| match self.function {
            // SAFETY: the program gave function and data for each other.
            Function::Callback(stream, function) => unsafe { function(stream, code, self.data) },
            // SAFETY: as above.
            Function::Host(function) if status.is_ok() => unsafe { function(self.data) },
            Function::Own(function) if status.is_ok() => function(),
            Function::Host(_) | Function::Own(_) => {}
        });
    }
}

/// Puts a function into a stream. It runs once.
fn enqueue(target: &Target, function: Function, data: *mut c_void) -> CUres {
    unsafe extern "C" fn run(_stream: hipStream_t, status: hipError_t, waiting: *mut c_void) {
        // SAFETY: the box below, given to this call alone.
        let waiting = unsafe { Box::from_raw(waiting.cast::<Waiting>()) };
        let status = check(status).and(waiting.context.error_of_kernels());
        waiting.run(status);
    }
    let waiting = Box::into_raw(Box::new(Waiting {
        context: target.current.context.clone(),
        function,
        data,
    }));
    let hip = &target.current.driver.hip;
    // SAFETY: the stream has been checked; `run` takes the box.
    let result = target
        .current
        .check(unsafe { hip.hipStreamAddCallback(target.hip, Some(run), waiting.cast(), 0) });
    if result.is_err() {
        // SAFETY: the provider has not taken the function, so nobody else has the box.
        drop(unsafe { Box::from_raw(waiting) });
    }
    result
}

/// Puts a callback into a stream.
pub(crate) fn add_callback(
    target: &Target,
    handle: CUstream,
    callback: CUstreamCallback,
    data: *mut c_void,
) -> CUres {
    let function = callback.ok_or(CUerror::INVALID_VALUE)?;
    enqueue(target, Function::Callback(handle, function), data)
}

/// Puts a host function into a stream.
pub(crate) fn launch_host_function(
    target: &Target,
    function: CUhostFn,
    data: *mut c_void,
) -> CUres {
    let host_function = function.ok_or(CUerror::INVALID_VALUE)?;
    enqueue(target, Function::Host(host_function), data)
}

/// Puts a function of the driver into a stream.
pub(crate) fn launch_own_function(
    target: &Target,
    function: impl FnOnce() + Send + 'static,
) -> CUres {
    enqueue(target, Function::Own(Box::new(function)), null_mut())
}
