//! Work of libraries above the driver: parts that the pool runs as it runs the blocks of a kernel.

use hip_runtime_sys::{OwnedTask, hipError_t};

use crate::guard::fault::Fault;
use crate::guard::guarded::Guarded;
use crate::work::blocks::Order;
use crate::work::job::{Job, Taken, Task};
use crate::work::op::Op;
use std::sync::Arc;

/// The least that a part gets: what runs below a library's own frames may be anything.
const LEAST_STACK: usize = 256 << 10;
/// More is no stack but a mistake.
const MOST_STACK: usize = 64 << 20;

/// A task as the work of a job.
pub struct LibraryTask(OwnedTask);

impl LibraryTask {
    /// The task, for a job.
    pub fn new(task: OwnedTask) -> LibraryTask {
        LibraryTask(task)
    }

    /// Whether there is something to run, on a stack that can be.
    pub fn check(&self) -> Result<(), hipError_t> {
        if self.0.parts() == 0 || self.0.stack() > MOST_STACK {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        Ok(())
    }

    /// The job of an operation, which runs on so many cores at a time, and how many parts it has. Greater priorities run
    /// sooner.
    pub fn job(self, op: Arc<Op>, priority: i32, processors: u32) -> (Job, u64) {
        let parts = self.0.parts();
        (Job::new(Arc::new(self), op, priority, parts, Order::Any, processors), parts)
    }

    fn run_part(&self, guarded: &mut Guarded, part: u64) -> Result<(), hipError_t> {
        let mut result = hipError_t::hipSuccess;
        // SAFETY: this machine's processor has no stream.
        let body = || result = unsafe { self.0.run(part, std::ptr::null_mut()) };
        match guarded.run(body) {
            Some(Ok(())) if result == hipError_t::hipSuccess => Ok(()),
            Some(Ok(())) => Err(result),
            Some(Err(Fault { is_access: true, address, .. })) => {
                tracing::error!(
                    "a library's work accessed address {address:#x}, where no memory is"
                );
                Err(hipError_t::hipErrorIllegalAddress)
            }
            Some(Err(fault)) => {
                tracing::error!("a library's work ended by signal {}", fault.signal);
                Err(hipError_t::hipErrorLaunchFailure)
            }
            None => Err(hipError_t::hipErrorOutOfMemory),
        }
    }
}

impl Task for LibraryTask {
    fn run(&self, job: &Job, slot: u32) {
        let taken = Taken::new(job, slot);
        let mut guarded = Guarded::new(self.0.stack().max(LEAST_STACK));
        while let Some(part) = taken.claim() {
            if let Err(error) = self.run_part(&mut guarded, part) {
                job.op.failure.set(error);
                job.stop();
            }
        }
    }
}
