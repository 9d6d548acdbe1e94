//! Work of libraries above the driver, which this project's own providers take into their streams: HIP has host functions
//! only, which run one after the other and may call nothing.

use core::ffi::c_void;

use crate::{HipRuntime, hipError_t, hipStream_t};

/// Work of a library: parts that may run at the same time, in any order. It is as a kernel: it comes after what its stream
/// has been given before, its errors become those of the context, and an access of memory that is not there is an error.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StreamTask {
    /// Runs a part, numbered from 0, on whichever thread; what it returns becomes the context's error. `stream` is that of
    /// a provider that has streams of its own and null on this machine's processor.
    pub run: unsafe extern "C" fn(data: *mut c_void, part: u64, stream: hipStream_t) -> hipError_t,
    /// Called once, when no part will begin any more and none runs.
    pub release: unsafe extern "C" fn(data: *mut c_void),
    pub data: *mut c_void,
    /// The number of parts, at least 1.
    pub parts: u64,
    /// Bytes of stack that a part needs.
    pub stack: usize,
}

/// The type of the function that takes a task: it is released whether the function succeeds or not.
pub type EnqueueTask =
    unsafe extern "C" fn(stream: hipStream_t, task: *const StreamTask) -> hipError_t;

/// The name of the function of type [`EnqueueTask`] that providers export.
pub const ENQUEUE_TASK: &str = "zluda_enqueue_task";

impl HipRuntime {
    /// Puts a task into a stream. For providers that have no such function the parts are run at once: what they do is to
    /// put work into the provider's stream.
    ///
    /// # Safety
    /// The stream is one of the provider's. The task's functions may be called with its data from any thread.
    pub unsafe fn enqueue_task(&self, stream: hipStream_t, task: &StreamTask) -> hipError_t {
        if let Some(enqueue) = self.enqueue_function() {
            // SAFETY: the caller's promise.
            return unsafe { enqueue(stream, task) };
        }
        let run = |part| {
            // SAFETY: the caller's promise.
            unsafe { (task.run)(task.data, part, stream) }
        };
        let result = (0..task.parts).map(run).find(|result| *result != hipError_t::hipSuccess);
        // SAFETY: as above.
        unsafe { (task.release)(task.data) };
        result.unwrap_or(hipError_t::hipSuccess)
    }
}
