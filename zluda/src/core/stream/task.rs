//! Work of libraries above the driver, in streams and in graphs.

use crate::core::context::Context;
use crate::core::stream::Target;
use cuda_types::cuda::{CUerror, CUres};
use hip_runtime_sys::{OwnedTask, StreamTask, hipError_t, hipStream_t};
use std::ffi::c_void;
use std::sync::Arc;

/// A task of a library, which is released when no stream and no graph has it any more.
#[derive(Debug)]
pub(crate) struct Task {
    task: OwnedTask,
    /// The context whose stream it was given to.
    pub(crate) context: Arc<Context>,
}

impl Task {
    /// The task, for a stream of this context; `INVALID_VALUE` if it has no parts.
    pub(crate) fn new(task: OwnedTask, context: &Arc<Context>) -> CUres<Arc<Task>> {
        if task.parts() == 0 {
            return Err(CUerror::INVALID_VALUE);
        }
        Ok(Arc::new(Task { task, context: context.clone() }))
    }

    /// Puts the task into a stream, once more.
    pub(crate) fn put(self: &Arc<Self>, target: &Target) -> CUres {
        if self.task.is_of_host() && target.current.driver.has_memory_apart() {
            return run_apart(target, &self.task);
        }
        let shared = StreamTask {
            run: run_shared,
            release: release_shared,
            data: Arc::into_raw(self.clone()).cast_mut().cast(),
            parts: self.task.parts(),
            stack: self.task.stack(),
            is_of_host: self.task.is_of_host(),
        };
        let current = &target.current;
        // SAFETY: the stream has been checked; the functions below get what they are for.
        current.check(unsafe { current.driver.hip.enqueue_task(target.hip, &shared) })
    }
}

#[cfg(target_os = "linux")]
use super::mirrored::run as run_apart;

#[cfg(not(target_os = "linux"))]
fn run_apart(_: &Target, _: &OwnedTask) -> CUres {
    tracing::error!("unsupported: a library's work on this device, whose memory lies apart");
    Err(CUerror::NOT_SUPPORTED)
}

unsafe extern "C" fn run_shared(data: *mut c_void, part: u64, stream: hipStream_t) -> hipError_t {
    // SAFETY: `put` has given away a reference, which `release_shared` takes back later.
    let task = unsafe { &(*data.cast_const().cast::<Task>()).task };
    // SAFETY: the provider says which stream.
    unsafe { task.run(part, stream) }
}

unsafe extern "C" fn release_shared(data: *mut c_void) {
    // SAFETY: `put` has given away a reference.
    drop(unsafe { Arc::from_raw(data.cast_const().cast::<Task>()) });
}
