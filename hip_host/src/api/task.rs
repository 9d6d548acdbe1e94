//! Work of libraries above the driver, which HIP has no function for.

use hip_runtime_sys::{ENQUEUE_TASK, EnqueueTask, OwnedTask, StreamTask, hipError_t, hipStream_t};

use super::{INVALID, healthy};
use crate::core::stream;
use crate::core::task::LibraryTask;
use crate::work::op::Work;

/// See [`EnqueueTask`].
///
/// # Safety
/// `task` is null or a task whose functions may be called with its data from any thread; the stream may be anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zluda_enqueue_task(
    stream: hipStream_t,
    task: *const StreamTask,
) -> hipError_t {
    // SAFETY: the caller's promise.
    let Some(task) = (unsafe { task.as_ref() }) else { return INVALID };
    // SAFETY: the caller's promise. Whatever happens, the task is released.
    let task = LibraryTask::new(unsafe { OwnedTask::new(*task) });
    healthy(move || {
        task.check()?;
        let stream = stream::find(stream)?;
        let (priority, processors) = (-stream.priority(), stream.processors());
        let work = Work::Blocks(Box::new(move |op| task.job(op, priority, processors)));
        stream.enqueue(false, None, work);
        Ok(())
    })
}

const _: EnqueueTask = zluda_enqueue_task;

/// The function above.
pub(super) const NAMES: &[&str] = &[ENQUEUE_TASK];
