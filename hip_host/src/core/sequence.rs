//! Kernels that run one after the other as one operation, known before it is launched.

use std::sync::Arc;

use hip_runtime_sys::hipError_t;

use super::launch::Ready;
use super::runner::{Last, Runner, Turn};
use super::stream::Stream;
use crate::work::job::{Job, Taken, Task};
use crate::work::op::Work;

pub struct Sequence {
    members: Vec<Ready>,
}

/// A launch of a sequence in a stream.
struct Launched {
    sequence: Arc<Sequence>,
    runner: Runner,
}

impl Sequence {
    /// A sequence of these kernels; `hipErrorInvalidValue` for none.
    pub fn new(members: Vec<Ready>) -> Result<Sequence, hipError_t> {
        match members.is_empty() {
            true => Err(hipError_t::hipErrorInvalidValue),
            false => Ok(Sequence { members }),
        }
    }

    /// The work of an operation of a stream.
    pub fn work(self: &Arc<Self>, stream: &Stream) -> Work {
        let launched = Launched { sequence: self.clone(), runner: Runner::of(stream) };
        let (priority, count) = (launched.runner.priority, self.members.len() as u64);
        Work::Blocks(Box::new(move |op| (Job::in_turn(Arc::new(launched), op, priority, count), 1)))
    }
}

impl Task for Launched {
    fn run(&self, job: &Job, slot: u32) {
        let taken = Taken::new(job, slot);
        let (turn, mut last) = (Turn::begin(), Last::default());
        while let Some(number) = taken.claim() {
            self.runner.run(&self.sequence.members[number as usize], &mut last);
            if turn.is_over(number, job) {
                return;
            }
        }
    }
}
