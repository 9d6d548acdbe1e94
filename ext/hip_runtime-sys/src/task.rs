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
    /// Whether the parts compute themselves, on memory of the host at the device's addresses. Others put work into the
    /// stream that they are given.
    pub is_of_host: bool,
}

/// A task, which is released at its end.
#[derive(Debug)]
pub struct OwnedTask(StreamTask);

// SAFETY: whoever made the task says that its functions may be called with the data on any thread, several at a time.
unsafe impl Send for OwnedTask {}
// SAFETY: as above.
unsafe impl Sync for OwnedTask {}

impl Drop for OwnedTask {
    fn drop(&mut self) {
        // SAFETY: as above; nothing runs any more.
        unsafe { (self.0.release)(self.0.data) };
    }
}

impl OwnedTask {
    /// # Safety
    /// The task's functions may be called with its data from any thread, and nobody else releases it.
    pub unsafe fn new(task: StreamTask) -> OwnedTask {
        OwnedTask(task)
    }

    /// The number of parts.
    pub fn parts(&self) -> u64 {
        self.0.parts
    }

    /// Bytes of stack that a part needs.
    pub fn stack(&self) -> usize {
        self.0.stack
    }

    /// Whether the parts compute themselves, on memory of the host at the device's addresses.
    pub fn is_of_host(&self) -> bool {
        self.0.is_of_host
    }

    /// Runs a part.
    ///
    /// # Safety
    /// `stream` is that of a provider that has streams of its own, and null on this machine's processor.
    pub unsafe fn run(&self, part: u64, stream: hipStream_t) -> hipError_t {
        // SAFETY: `new`'s caller says so of the data, this one's of the stream.
        unsafe { (self.0.run)(self.0.data, part, stream) }
    }
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
        // SAFETY: the caller's promise.
        let task = unsafe { OwnedTask::new(*task) };
        // SAFETY: as above.
        let mut results = (0..task.parts()).map(|part| unsafe { task.run(part, stream) });
        results.find(|result| *result != hipError_t::hipSuccess).unwrap_or(hipError_t::hipSuccess)
    }
}
