//! Operations: what streams are made of.
//!
//! An operation begins when all operations that it comes after have ended. Streams, events and the
//! default stream's rules only decide who comes after whom ([`crate::core::stream`]); here is no other order.

use std::any::Any;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use smallvec::SmallVec;

use super::chaos::{self, About};
use super::failure::Failure;
use super::host_thread;
use super::job::Job;
use super::pool::Pool;
use crate::os::futex;

/// The work of an operation, begun when its turn comes.
pub enum Work {
    /// Nothing: a place in the order, which events record.
    Nothing,
    /// Something quick, on whichever thread ends the operation before.
    Quick(Box<dyn FnOnce() + Send>),
    /// Blocks for the pool. Not begun once the device has an error.
    Blocks(Box<dyn FnOnce(Arc<Op>) -> (Job, u64) + Send>),
    /// A function of the program, on the thread for those.
    Host(Box<dyn FnOnce() + Send>),
    /// Something that others do, which ends the operation when the function says that it is done. It is asked again and
    /// again, on a thread of its own.
    Until(Box<dyn Fn() -> bool + Send>),
}

const PENDING: u32 = 0;
const ENDED: u32 = 1;
/// Pending, and somebody sleeps until it has ended.
const AWAITED: u32 = 2;

pub struct Op {
    /// The stream's identity.
    pub stream: u64,
    /// The error of the device that it is work of.
    pub failure: &'static Failure,
    /// The driver's number for the launch of a graph that it is part of; 0 for none.
    pub graph_launch: u64,
    state: AtomicU32,
    /// Operations that this one waits for, and one more until it is complete.
    before: AtomicU32,
    inner: Mutex<Inner>,
    /// Nanoseconds since [`origin`] when it ended, where asked for; at least 1.
    ended_at: AtomicU64,
    timed: bool,
    /// The grids that the kernel it runs has launched.
    family: OnceLock<Box<dyn Family>>,
}

/// The work that an operation has begun and ends after: made by the executor, when one of its kernels first asks.
pub trait Family: Any + Send + Sync {
    /// A part of the operation has ended: its own work, or what it began.
    fn leave(&self, op: &Arc<Op>) -> Next;
}

/// The consequence of the end of one of an operation's parts.
pub enum Next {
    /// Others have not.
    Wait,
    Begin(Arc<Op>),
    /// The operation has ended.
    End,
}

struct Inner {
    after: SmallVec<[Arc<Op>; 2]>,
    work: Option<Work>,
    /// The grid that launched it, which ends later.
    parent: Option<Arc<Op>>,
}

thread_local! {
    /// See [`set_graph_launch`].
    static GRAPH_LAUNCH: Cell<u64> = const { Cell::new(0) };
}

/// Sets what [`Op::graph_launch`] is of the operations that this thread makes from now on.
pub fn set_graph_launch(launch: u64) {
    GRAPH_LAUNCH.set(launch);
}

/// Whether the operations that this thread makes are part of the launch of a graph.
pub fn is_of_graph() -> bool {
    GRAPH_LAUNCH.get() != 0
}

/// The moment from which times count.
pub fn origin() -> Instant {
    static ORIGIN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    *ORIGIN
}

impl Op {
    /// A new operation, which begins with [`release`] at the earliest.
    pub fn new(stream: u64, failure: &'static Failure, timed: bool, work: Work) -> Arc<Op> {
        let graph_launch = GRAPH_LAUNCH.get();
        Arc::new(Op { graph_launch, ..Op::with_parent(stream, failure, timed, work, None) })
    }

    /// An operation that a kernel launches. Whoever waits for the parent helps with it.
    pub fn of_parent(parent: &Arc<Op>, work: Work) -> Arc<Op> {
        let op = Op::with_parent(parent.stream, parent.failure, false, work, Some(parent.clone()));
        Arc::new(op)
    }

    fn with_parent(
        stream: u64,
        failure: &'static Failure,
        timed: bool,
        work: Work,
        parent: Option<Arc<Op>>,
    ) -> Op {
        Op {
            stream,
            failure,
            graph_launch: 0,
            state: AtomicU32::new(PENDING),
            before: AtomicU32::new(1),
            inner: Mutex::new(Inner { after: SmallVec::new(), work: Some(work), parent }),
            ended_at: AtomicU64::new(0),
            timed,
            family: OnceLock::new(),
        }
    }

    /// The grids that the kernel of the operation has launched. For this kernel only. None where it is of another type,
    /// which a process with one executor never sees.
    pub fn family<F: Family + Default>(&self) -> Option<&F> {
        let family: &dyn Any = &**self.family.get_or_init(|| Box::new(F::default()));
        family.downcast_ref()
    }

    /// The operation as it was when it was made with no work, if it has ended and nobody else has it: cheaper than another one.
    pub fn again(mut this: Arc<Op>) -> Option<Arc<Op>> {
        let op = Arc::get_mut(&mut this)?;
        if !op.has_ended() || op.timed || op.family.get().is_some() {
            return None;
        }
        let Op { state, before, inner, .. } = op;
        (*state.get_mut(), *before.get_mut()) = (PENDING, 1);
        inner.get_mut().work = Some(Work::Nothing);
        Some(this)
    }

    /// Whether the operation has ended.
    pub fn has_ended(&self) -> bool {
        self.state.load(Ordering::Acquire) == ENDED
    }

    /// The time at which the operation ended, in nanoseconds since [`origin`]; for operations made with `timed`.
    pub fn ended_at(&self) -> Option<u64> {
        self.has_ended().then(|| self.ended_at.load(Ordering::Relaxed)).filter(|time| *time != 0)
    }

    /// Makes `later` begin after this operation. To be called before `later` is released.
    pub fn precedes(&self, later: &Arc<Op>) {
        if self.has_ended() {
            return;
        }
        let mut inner = self.inner.lock();
        if !self.has_ended() {
            later.before.fetch_add(1, Ordering::Relaxed);
            inner.after.push(later.clone());
        }
    }

    /// Whether the end may be nearer when blocks of a job are done. From it on, the stream's jobs come after it, and may
    /// wait for what the host does when it has waited for this: a job that can be seen has begun, so asking once it is
    /// seen is soon enough.
    fn is_helped_by(&self, job: &Job) -> bool {
        job.stream() == self.stream && !self.has_ended()
    }

    /// Waits for the end; meanwhile helps with the blocks of the same stream, and with what is brief of others.
    pub fn wait(&self) {
        const SPINS: u32 = 1_000;
        if self.has_ended() {
            return;
        }
        let pool = Pool::get();
        loop {
            let helps = chaos::dice_of_thread().is_none_or(|dice| dice.one_in(2));
            while helps
                && !self.has_ended()
                && pool.help_while_waiting(|job| self.is_helped_by(job))
            {}
            if self.has_ended() {
                return;
            }
            if (0..SPINS).any(|_| {
                std::hint::spin_loop();
                self.has_ended()
            }) {
                return;
            }
            let state =
                self.state.compare_exchange(PENDING, AWAITED, Ordering::AcqRel, Ordering::Acquire);
            if state != Err(ENDED) {
                futex::wait(&self.state, AWAITED);
            }
        }
    }
}

/// Lets an operation begin once everything before it has ended.
pub fn release(op: Arc<Op>) {
    let mut ended = SmallVec::new();
    arrive(op, &mut ended);
    finish_all(ended);
}

/// Ends an operation whose work is done, and begins what waited for it.
pub fn finish(op: &Arc<Op>) {
    let mut ended = SmallVec::new();
    end(op, &mut ended);
    finish_all(ended);
}

/// A list instead of recursion: chains may be long.
fn finish_all(mut ended: SmallVec<[Arc<Op>; 4]>) {
    while let Some(op) = ended.pop() {
        end(&op, &mut ended);
    }
}

/// Ends one operation; adds those that end with it.
fn end(op: &Arc<Op>, ended: &mut SmallVec<[Arc<Op>; 4]>) {
    match op.family.get().map_or(Next::End, |family| family.leave(op)) {
        Next::Wait => return,
        Next::Begin(later) => return arrive(later, ended),
        Next::End => {}
    }
    if op.timed {
        op.ended_at.store((origin().elapsed().as_nanos() as u64).max(1), Ordering::Relaxed);
    }
    let (after, parent, previous) = {
        let mut inner = op.inner.lock();
        let previous = op.state.swap(ENDED, Ordering::AcqRel);
        (std::mem::take(&mut inner.after), inner.parent.take(), previous)
    };
    if previous == AWAITED {
        futex::wake(&op.state, u32::MAX);
    }
    for later in after {
        arrive(later, ended);
    }
    // It has lost one of its parts.
    ended.extend(parent);
}

/// One thing less to wait for; begins the operation if it was the last.
fn arrive(op: Arc<Op>, ended: &mut SmallVec<[Arc<Op>; 4]>) {
    if op.before.fetch_sub(1, Ordering::AcqRel) != 1 {
        return;
    }
    match delay() {
        None => begin(op, ended),
        Some(delay) => later(op, delay, ended),
    }
}

/// The time for which an operation is to wait for no reason, where there is to be chaos.
fn delay() -> Option<Duration> {
    static OPERATIONS: AtomicU64 = AtomicU64::new(0);
    chaos::seed()?;
    chaos::dice(About::Operation, &[OPERATIONS.fetch_add(1, Ordering::Relaxed)])?.delay()
}

/// Begins an operation on another thread, after a while.
fn later(op: Arc<Op>, delay: Duration, ended: &mut SmallVec<[Arc<Op>; 4]>) {
    let same = op.clone();
    let spawned = std::thread::Builder::new().name("zluda-delay".to_owned()).spawn(move || {
        std::thread::sleep(delay);
        let mut ended = SmallVec::new();
        begin(op, &mut ended);
        finish_all(ended);
    });
    if spawned.is_err() {
        begin(same, ended);
    }
}

/// Waits for what others do: they may be quick.
fn wait_until(done: &dyn Fn() -> bool) {
    let mut rounds = 0;
    while !done() {
        rounds += 1;
        match rounds {
            0..100 => std::hint::spin_loop(),
            100..1000 => std::thread::yield_now(),
            _ => std::thread::sleep(Duration::from_micros(50)),
        }
    }
}

fn begin(op: Arc<Op>, ended: &mut SmallVec<[Arc<Op>; 4]>) {
    let work = op.inner.lock().work.take();
    match work {
        None | Some(Work::Nothing) => ended.push(op),
        Some(Work::Quick(work)) => {
            work();
            ended.push(op);
        }
        Some(Work::Blocks(_)) if op.failure.get().is_some() => ended.push(op),
        Some(Work::Blocks(make)) => {
            let (job, blocks) = make(op.clone());
            Pool::get().submit(Arc::new(job), blocks);
        }
        Some(Work::Host(work)) => host_thread::run(op, work),
        Some(Work::Until(done)) if done() => ended.push(op),
        Some(Work::Until(done)) => {
            let waiting = std::thread::Builder::new().name("zluda-wait".to_owned());
            let last = op.clone();
            let spawned = waiting.spawn(move || {
                wait_until(&*done);
                finish(&op);
            });
            if let Err(error) = spawned {
                tracing::error!("no thread to wait on: {error}");
                ended.push(last);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::Order;
    use super::super::job::Task;
    use super::*;

    static NONE: Failure = Failure::of(0);

    struct Nothing;

    impl Task for Nothing {
        fn run(&self, _: &Job, _: u32) {}
    }

    #[test]
    fn who_waits_for_an_operation_leaves_what_comes_behind_it() {
        let [op, same, other] =
            [5, 5, 6].map(|stream| Op::new(stream, &NONE, false, Work::Nothing));
        let job = |op: &Arc<Op>| Job::new(Arc::new(Nothing), op.clone(), 0, 1, Order::Ascending, 1);
        assert!(op.is_helped_by(&job(&same)) && !op.is_helped_by(&job(&other)));
        // A job of the stream that is seen from now on comes behind: it may wait for who waits for this.
        release(op.clone());
        assert!(op.has_ended() && !op.is_helped_by(&job(&same)));
    }

    #[test]
    fn an_operation_that_nobody_has_is_used_again() {
        let op = Op::new(7, &NONE, false, Work::Nothing);
        let address = Arc::as_ptr(&op);
        let pending = Op::new(7, &NONE, false, Work::Nothing);
        assert!(Op::again(pending).is_none(), "it has not ended");
        release(op.clone());
        assert!(op.has_ended() && Op::again(op.clone()).is_none(), "somebody else has it");
        let again = Op::again(op).unwrap();
        assert_eq!((Arc::as_ptr(&again), again.has_ended()), (address, false));
        let later = Op::new(7, &NONE, false, Work::Nothing);
        again.precedes(&later);
        release(later.clone());
        assert!(!later.has_ended());
        release(again.clone());
        assert!(again.has_ended() && later.has_ended());
    }
}
