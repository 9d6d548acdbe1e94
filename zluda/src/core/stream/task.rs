//! Work of libraries above the driver, in streams and in graphs.

use crate::core::context::Context;
use crate::core::stream::Target;
use cuda_types::cuda::{CUerror, CUres};
use hip_runtime_sys::{StreamTask, hipError_t, hipStream_t};
use std::ffi::c_void;
use std::sync::Arc;

/// A task of a library, which is released when no stream and no graph has it any more.
#[derive(Debug)]
pub(crate) struct Task {
    task: StreamTask,
    /// The context whose stream it was given to.
    pub(crate) context: Arc<Context>,
}

// SAFETY: the library says that its functions may be called with the data on any thread, several at a time.
unsafe impl Send for Task {}
// SAFETY: as above.
unsafe impl Sync for Task {}

impl Drop for Task {
    fn drop(&mut self) {
        // SAFETY: as above; nothing runs any more.
        unsafe { (self.task.release)(self.task.data) };
    }
}

/// A task of a library, which is released if nobody takes it.
pub(crate) struct Given(pub(crate) StreamTask);

impl Drop for Given {
    fn drop(&mut self) {
        // SAFETY: whoever gave the task says that it may be released on any thread.
        unsafe { (self.0.release)(self.0.data) };
    }
}

impl Given {
    /// The task, for a stream of this context; `INVALID_VALUE` if it has no parts.
    pub(crate) fn accept(self, context: &Arc<Context>) -> CUres<Arc<Task>> {
        if self.0.parts == 0 {
            return Err(CUerror::INVALID_VALUE);
        }
        let context = context.clone();
        Ok(Arc::new(Task { task: std::mem::ManuallyDrop::new(self).0, context }))
    }
}

impl Task {
    /// Puts the task into a stream, once more.
    pub(crate) fn put(self: &Arc<Self>, target: &Target) -> CUres {
        let shared = StreamTask {
            run: run_shared,
            release: release_shared,
            data: Arc::into_raw(self.clone()).cast_mut().cast(),
            ..self.task
        };
        let current = &target.current;
        // SAFETY: the stream has been checked; the functions below get what they are for.
        current.check(unsafe { current.driver.hip.enqueue_task(target.hip, &shared) })
    }
}

unsafe extern "C" fn run_shared(data: *mut c_void, part: u64, stream: hipStream_t) -> hipError_t {
    // SAFETY: `put` has given away a reference, which `release_shared` takes back later.
    let task = unsafe { &(*data.cast_const().cast::<Task>()).task };
    // SAFETY: the library's function gets the library's data.
    unsafe { (task.run)(task.data, part, stream) }
}

unsafe extern "C" fn release_shared(data: *mut c_void) {
    // SAFETY: `put` has given away a reference.
    drop(unsafe { Arc::from_raw(data.cast_const().cast::<Task>()) });
}
