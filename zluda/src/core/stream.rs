//! Streams.

use crate::convert::FromC;
use crate::core::context::{Context, Current, current, enter, run_callback};
use crate::core::driver::driver;
use crate::core::error::check;
use crate::core::kind;
use cuda_types::cuda::{
    CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, CUerror, CUhostFn, CUres, CUresult, CUstream,
    CUstreamCallback,
};
use hip_runtime_sys::{hipStream_t, hipStreamPerThread};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use zluda_common::handle::HandleTable;

/// The highest and the lowest priority of streams: the first is the more urgent one.
pub(crate) const PRIORITIES: (i32, i32) = (-5, 0);

#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) context: Arc<Context>,
    hip: HipStream,
    pub(crate) flags: u32,
    pub(crate) priority: i32,
    pub(crate) id: u64,
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

static STREAMS: LazyLock<HandleTable<Stream>> = LazyLock::new(|| HandleTable::new(kind::STREAM));
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
    /// Enters the stream's context: that of a default stream is the current one.
    pub(crate) fn enter(&self) -> CUres<Target> {
        Ok(match self {
            StreamArg::Legacy => Target { current: current()?, hip: null_mut() },
            StreamArg::PerThread => Target { current: current()?, hip: hipStreamPerThread },
            StreamArg::Created(stream) => {
                Target { current: enter(&stream.context)?, hip: stream.hip.0 }
            }
        })
    }

    pub(crate) fn flags(&self) -> u32 {
        match self {
            StreamArg::Legacy | StreamArg::PerThread => 0,
            StreamArg::Created(stream) => stream.flags,
        }
    }

    pub(crate) fn priority(&self) -> i32 {
        match self {
            StreamArg::Legacy | StreamArg::PerThread => 0,
            StreamArg::Created(stream) => stream.priority,
        }
    }

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
    // Providers have fewer priorities.
    let hip_priority = priority.max(-1);
    // CUDA's flags have HIP's values.
    // SAFETY: `stream` outlives the call.
    current.check(unsafe { hip.hipStreamCreateWithPriority(&mut stream, flags, hip_priority) })?;
    let stream = Stream {
        context: current.context.clone(),
        hip: HipStream(stream),
        flags,
        priority,
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
    };
    let handle = STREAMS.insert(Arc::new(stream)).ok_or(CUerror::OUT_OF_MEMORY)?;
    Ok(handle as CUstream)
}

/// Ends a handle; the stream goes when its work is done. `INVALID_HANDLE` for what cannot be destroyed.
pub(crate) fn destroy(handle: CUstream) -> CUres {
    STREAMS.remove(handle as u64).map(drop).ok_or(CUerror::INVALID_HANDLE)
}

pub(crate) fn end_context(context: u64) {
    for (handle, stream) in STREAMS.all() {
        if stream.context.id() == context {
            STREAMS.remove(handle);
        }
    }
}

/// What a callback that waits in a stream needs.
struct Callback {
    stream: CUstream,
    function: unsafe extern "C" fn(CUstream, CUresult, *mut c_void),
    data: *mut c_void,
}

/// Puts a callback into a stream.
pub(crate) fn add_callback(
    target: &Target,
    handle: CUstream,
    callback: CUstreamCallback,
    data: *mut c_void,
) -> CUres {
    unsafe extern "C" fn run(data: *mut c_void) {
        // SAFETY: the box below, given to this call alone.
        let callback = unsafe { Box::from_raw(data.cast::<Callback>()) };
        run_callback(|| {
            // SAFETY: the program gave this function and data for each other.
            unsafe { (callback.function)(callback.stream, CUresult::CUDA_SUCCESS, callback.data) }
        });
    }
    let function = callback.ok_or(CUerror::INVALID_VALUE)?;
    let callback = Box::into_raw(Box::new(Callback { stream: handle, function, data }));
    // SAFETY: the stream has been checked; `run` takes the box.
    let result = check(unsafe {
        target.current.driver.hip.hipLaunchHostFunc(target.hip, Some(run), callback.cast())
    });
    if result.is_err() {
        // SAFETY: the provider has not taken the callback, so nobody else has the box.
        drop(unsafe { Box::from_raw(callback) });
    }
    result
}

/// Puts a host function into a stream.
pub(crate) fn launch_host_function(
    target: &Target,
    function: CUhostFn,
    data: *mut c_void,
) -> CUres {
    if function.is_none() {
        return Err(CUerror::INVALID_VALUE);
    }
    // SAFETY: the stream has been checked; the program gave function and data for each other.
    target
        .current
        .check(unsafe { target.current.driver.hip.hipLaunchHostFunc(target.hip, function, data) })
}
