//! Kernels that a thread runs one after the other, without the pool's queue between: those of [sequences](super::sequence) and
//! [lines](super::line).

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
use crate::work::job::{Job, Task};
use crate::work::op::{Op, Work};
use crate::work::pool::Pool;
use crate::work::ticks::Ticks;

/// A kernel that takes less than this is not worth the other threads' while.
const QUICK: Ticks = Ticks::about_micros(4);
/// Nor is it if it has so many blocks: each may be long the next time.
const FEW: u64 = 64;

/// After this time a thread that runs members lets others have it, if there are any.
const TURN: Duration = Duration::from_millis(1);
/// So many members are run from one look at the clock to the next: a look costs a tenth of a small kernel.
const LOOK: u64 = 8;

/// A kernel with its parameters, whose launch has been checked. All its launches have one grid number.
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
        Ok(Member { kernel, task, order, parts })
    }
}

/// How members run: what the stream had set when they were put into it.
#[derive(Clone, Copy)]
pub struct Runner {
    /// The stream's identity.
    pub stream: u64,
    pub failure: &'static Failure,
    /// Greater runs sooner.
    pub priority: i32,
    pub processors: u32,
}

impl PartialEq for Runner {
    fn eq(&self, other: &Runner) -> bool {
        let parts = |runner: &Runner| (runner.stream, runner.priority, runner.processors);
        parts(self) == parts(other)
    }
}

impl Runner {
    /// For what is put into a stream now.
    pub fn of(stream: &Stream) -> Runner {
        Runner {
            stream: stream.id,
            failure: &stream.context.device.failure,
            priority: -stream.priority(),
            processors: stream.processors(),
        }
    }

    /// The operation of a member that runs alone.
    pub fn alone(self, member: Member) -> Arc<Op> {
        let Runner { stream, failure, priority, processors } = self;
        let Member { task, order, parts, .. } = member;
        let job = move |op| (Job::new(task, op, priority, parts, order, processors), parts);
        Op::new(stream, failure, false, Work::Blocks(Box::new(job)))
    }

    /// Runs one kernel to its end, unless the context has an error, as operations begin none then. `now` is the moment of this
    /// if it is known, and is left so.
    pub fn run(&self, member: &Member, now: &mut Option<Ticks>) {
        let Runner { stream, failure, priority, processors } = *self;
        if failure.get().is_some() {
            return;
        }
        let Member { kernel, task, order, parts } = member;
        let (task, parts) = (task.clone(), *parts);
        let op = Op::new(stream, failure, false, Work::Nothing);
        if parts == 1 {
            *now = None;
            Job::new(task, op.clone(), priority, parts, *order, processors).take_part();
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
            share(Arc::new(Job::new(task, op.clone(), priority, parts, *order, processors)));
        }
        op.wait();
        let ended = Ticks::now();
        kernel.has_taken(ended.after(begun) < QUICK);
        *now = Some(ended);
    }
}

/// The time for which a thread runs members of one job.
pub struct Turn(Instant);

impl Turn {
    /// One that begins now.
    pub fn begin() -> Turn {
        Turn(Instant::now())
    }

    /// Whether the thread is to leave the job after the member of this number. If so, others go first.
    pub fn is_over(&self, number: u64, job: &Job) -> bool {
        number % LOOK == LOOK - 1
            && self.0.elapsed() > TURN
            && Pool::get().lets_others_go_first(job)
    }
}
