//! Kernels that run one after the other as one operation: a thread goes from each to the next, without the queue between.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hip_runtime_sys::hipError_t;

use super::device::Device;
use super::launch::{LaunchConfig, Ready};
use super::module::Kernel;
use super::request::Params;
use crate::work::failure;
use crate::work::job::{Job, Taken, Task};
use crate::work::op::{Op, Work};
use crate::work::pool::Pool;

/// After this time a sequence lets others have its thread, if there are any.
const TURN: Duration = Duration::from_millis(1);
/// A kernel that takes less than this is not worth the other threads' while.
const QUICK: Duration = Duration::from_micros(4);
/// Nor is it if it has so many blocks: each may be long the next time.
const FEW: u64 = 64;

/// A kernel of a sequence, whose launch has been checked.
pub struct Member {
    pub kernel: Arc<Kernel>,
    pub config: LaunchConfig,
    pub params: Params,
}

pub struct Sequence {
    members: Vec<Member>,
}

/// A launch of a sequence in a stream.
struct Launched {
    sequence: Arc<Sequence>,
    stream: u64,
    priority: i32,
    processors: u32,
}

impl Sequence {
    /// A sequence of these kernels; `hipErrorInvalidValue` for none.
    pub fn new(members: Vec<Member>) -> Result<Sequence, hipError_t> {
        match members.is_empty() {
            true => Err(hipError_t::hipErrorInvalidValue),
            false => Ok(Sequence { members }),
        }
    }

    /// The work of an operation of the stream `stream`, whose launches run on so many cores at a time.
    pub fn work(self: &Arc<Self>, stream: u64, priority: i32, processors: u32) -> Work {
        let launched = Launched { sequence: self.clone(), stream, priority, processors };
        let count = self.members.len() as u64;
        Work::Blocks(Box::new(move |op| (Job::in_turn(Box::new(launched), op, priority, count), 1)))
    }
}

impl Launched {
    /// Runs one kernel to its end.
    fn run(&self, member: &Member) -> Result<(), hipError_t> {
        let Member { kernel, config, params } = member;
        let ready = Ready::new(kernel, *config, params.clone(), self.priority, self.processors)?;
        let op = Op::new(self.stream, false, Work::Nothing);
        let (job, parts) = ready.job(op.clone());
        if parts == 1 {
            job.take_part();
            op.wait();
            return Ok(());
        }
        let begun = Instant::now();
        let job = job.shared();
        if parts > FEW || !kernel.is_quick() {
            Pool::get().submit(job.clone(), parts);
        }
        job.take_part();
        op.wait();
        kernel.has_taken(begun.elapsed() < QUICK);
        Ok(())
    }
}

impl Task for Launched {
    fn run(&self, job: &Job, slot: u32) {
        let taken = Taken::new(job, slot);
        let begun = Instant::now();
        while let Some(number) = taken.claim() {
            // As operations, kernels do not begin once the context has an error.
            if failure::get().is_none()
                && let Err(error) = self.run(&self.sequence.members[number as usize])
            {
                Device::get().set_error(error);
            }
            if begun.elapsed() > TURN && Pool::get().lets_others_go_first(job) {
                return;
            }
        }
    }
}
