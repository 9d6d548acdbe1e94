//! How launches run: as an operation of their own, or as members of [sequences](super::sequence) and [lines](super::line), which a
//! thread runs one after the other, without the pool's queue between.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::context::Context;
use super::launch::Ready;
use super::stream::Stream;
use crate::work::job::Job;
use crate::work::op::{Op, Work};
use crate::work::pool::Pool;
use crate::work::ticks::Ticks;

/// A kernel that takes less than this is not worth the other threads' while.
const QUICK: Ticks = Ticks::about_micros(4);
/// Nor is it if it has so many blocks: each may be long the next time.
pub const FEW: u64 = 64;

/// After this time a thread that runs members lets others have it, if there are any.
const TURN: Duration = Duration::from_millis(1);
/// So many members are run from one look at the clock to the next: a look costs a tenth of a small kernel.
const LOOK: u64 = 8;

/// How launches run: what the stream had set when they were put into it.
#[derive(Clone, Copy, PartialEq)]
pub struct Runner {
    /// The stream's identity.
    stream: u64,
    context: &'static Context,
    /// Greater runs sooner.
    pub priority: i32,
    processors: u32,
}

impl Runner {
    /// For what is put into a stream now.
    pub fn of(stream: &Stream) -> Runner {
        Runner {
            stream: stream.id,
            context: stream.context,
            priority: -stream.priority(),
            processors: stream.processors(),
        }
    }

    /// An operation of the stream.
    pub fn op(&self, work: Work) -> Arc<Op> {
        Op::new(self.stream, &self.context.device.failure, false, work)
    }

    /// The work of an operation that is one launch.
    pub fn work(self, ready: Ready) -> Work {
        ready.work(self.priority, self.processors)
    }

    /// Runs one kernel to its end, unless the context has an error, as operations begin none then.
    pub fn run(&self, member: &Ready, last: &mut Last) {
        let Runner { context, priority, processors, .. } = *self;
        if context.device.failure.get().is_some() {
            return;
        }
        let Ready { kernel, task, order, clusters: parts } = member;
        let (task, parts) = (task.clone(), *parts);
        let op = last.op.take().and_then(Op::again).unwrap_or_else(|| self.op(Work::Nothing));
        if parts == 1 {
            last.ended = None;
            let job = Job::new(task, op, priority, parts, *order, processors);
            job.take_part();
            return last.op = Some(ended(job.op));
        }
        let begun = last.ended.unwrap_or_else(Ticks::now);
        let share = |job: Arc<Job>| {
            Pool::get().submit(job.clone(), parts);
            job.take_part();
            job.op.clone()
        };
        let op = if parts <= FEW && kernel.is_quick() && task.may_stop() {
            let job = Job::alone(task, op, priority, parts, *order, processors, begun);
            job.take_part();
            if job.is_exhausted() { job.op } else { share(job.shared()) }
        } else {
            share(Arc::new(Job::new(task, op, priority, parts, *order, processors)))
        };
        last.op = Some(ended(op));
        let now = Ticks::now();
        kernel.has_taken(now.after(begun) < QUICK);
        last.ended = Some(now);
    }
}

/// An operation when it has ended.
fn ended(op: Arc<Op>) -> Arc<Op> {
    op.wait();
    op
}

/// What a kernel leaves to the one that the same thread runs next by the same runner.
#[derive(Default)]
pub struct Last {
    /// The moment at which it ended, which is this, where that is known.
    ended: Option<Ticks>,
    op: Option<Arc<Op>>,
}

impl Last {
    /// Time has passed since.
    pub fn is_over(&mut self) {
        self.ended = None;
    }
}

/// The time for which a thread runs members of one job.
pub struct Turn(Instant);

impl Turn {
    /// One that begins now.
    pub fn begin() -> Turn {
        Turn(Instant::now())
    }

    /// Whether the thread has run members for as long as others can wait for it.
    pub fn has_taken_long(&self) -> bool {
        self.0.elapsed() > TURN
    }

    /// Whether the thread is to leave the job after the member of this number. If so, others go first.
    pub fn is_over(&self, number: u64, job: &Job) -> bool {
        number % LOOK == LOOK - 1 && self.has_taken_long() && Pool::get().lets_others_go_first(job)
    }
}
