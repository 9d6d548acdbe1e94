//! Kernels that run one after the other as one operation: a thread goes from each to the next, without the queue between.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hip_runtime_sys::hipError_t;

use super::context::Context;
use super::launch::{LaunchConfig, Ready};
use super::module::Kernel;
use super::request::Params;
use super::stream::Stream;
use crate::work::blocks::Order;
use crate::work::failure::Failure;
use crate::work::job::{Job, Taken, Task, Whose};
use crate::work::op::{Op, Work};
use crate::work::pool::Pool;
use crate::work::ticks::Ticks;

/// After this time a sequence lets others have its thread, if there are any.
const TURN: Duration = Duration::from_millis(1);
/// So many kernels are run from one look at the clock to the next: a look costs a tenth of a small kernel.
const LOOK: u64 = 8;
/// A kernel that takes less than this is not worth the other threads' while.
const QUICK: Ticks = Ticks::about_micros(4);
/// Nor is it if it has so many blocks: each may be long the next time.
const FEW: u64 = 64;

/// A kernel of a sequence, whose launch has been checked. All its launches have one grid number.
pub struct Member {
    kernel: Arc<Kernel>,
    task: Arc<dyn Task>,
    order: Order,
    parts: u64,
}

impl Member {
    /// A launch in a context that has been checked.
    pub fn new(
        context: &'static Context,
        kernel: Arc<Kernel>,
        config: LaunchConfig,
        params: Params,
    ) -> Result<Member, hipError_t> {
        let Ready { task, order, clusters: parts, .. } =
            Ready::new(context, &kernel, config, params, 0, 0)?;
        Ok(Member { kernel, task: task.into(), order, parts })
    }
}

pub struct Sequence {
    members: Vec<Member>,
}

/// A launch of a sequence in a stream.
struct Launched {
    sequence: Arc<Sequence>,
    stream: u64,
    failure: &'static Failure,
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

    /// The work of an operation of a stream.
    pub fn work(self: &Arc<Self>, stream: &Stream) -> Work {
        let priority = -stream.priority();
        let launched = Launched {
            sequence: self.clone(),
            stream: stream.id,
            failure: &stream.context.device.failure,
            priority,
            processors: stream.processors(),
        };
        let count = self.members.len() as u64;
        Work::Blocks(Box::new(move |op| (Job::in_turn(Box::new(launched), op, priority, count), 1)))
    }
}

impl Launched {
    /// Runs one kernel to its end. `now` is the moment of this if it is known, and is left so.
    fn run(&self, member: &Member, now: &mut Option<Ticks>) {
        let Member { kernel, task, order, parts } = member;
        let (task, parts) = (Whose::Shared(task.clone()), *parts);
        let op = Op::new(self.stream, self.failure, false, Work::Nothing);
        let (priority, processors) = (self.priority, self.processors);
        if parts == 1 {
            *now = None;
            Job::of(task, op.clone(), priority, parts, *order, processors).take_part();
            return op.wait();
        }
        let begun = now.unwrap_or_else(Ticks::now);
        let share = |job: Arc<Job>| {
            Pool::get().submit(job.clone(), parts);
            job.take_part();
        };
        if parts <= FEW && kernel.is_quick() && task.may_stop() {
            let job = Job::alone(task, op.clone(), priority, parts, *order, processors, begun);
            job.take_part();
            if !job.is_exhausted() {
                share(job.shared());
            }
        } else {
            share(Arc::new(Job::of(task, op.clone(), priority, parts, *order, processors)));
        }
        op.wait();
        let ended = Ticks::now();
        kernel.has_taken(ended.after(begun) < QUICK);
        *now = Some(ended);
    }
}

impl Task for Launched {
    fn run(&self, job: &Job, slot: u32) {
        let taken = Taken::new(job, slot);
        let (begun, mut now) = (Instant::now(), None);
        while let Some(number) = taken.claim() {
            // As operations, kernels do not begin once the context has an error.
            if self.failure.get().is_none() {
                self.run(&self.sequence.members[number as usize], &mut now);
            }
            if number % LOOK == LOOK - 1
                && begun.elapsed() > TURN
                && Pool::get().lets_others_go_first(job)
            {
                return;
            }
        }
    }
}
