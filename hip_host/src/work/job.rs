//! Work that several threads share: numbered blocks, see [`Order`].

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use smallvec::SmallVec;

use super::blocks::{Blocks, Order};
use super::chaos::{self, About, Dice};
use super::op::{self, Op};
use super::pool::{self, Pool};
use super::ticks::Ticks;

/// What keeps a thread that waits for other work for longer is not brief.
pub const BRIEF: Ticks = Ticks::about_micros(1_000);

thread_local! {
    /// Since when this thread [takes part briefly](Job::take_part_briefly), while it does.
    static BRIEF_SINCE: Cell<Option<Ticks>> = const { Cell::new(None) };
}

/// Whether this thread takes part in something briefly.
pub fn is_brief() -> bool {
    BRIEF_SINCE.get().is_some()
}

/// The work of a job.
pub trait Task: Send + Sync {
    /// Runs blocks, taken with [`Taken::claim`], until there are none. `slot` is unique among the threads
    /// that run this job at the same time.
    fn run(&self, job: &Job, slot: u32);

    /// Whether a thread may leave blocks to others between any two, as none waits for another.
    fn may_stop(&self) -> bool {
        false
    }

    /// Whether a thread of the program that waits for something else may run what comes next: that waits for nothing, and has
    /// not kept such threads for long.
    fn is_brief(&self) -> bool {
        false
    }

    /// Runs what [is brief](Task::is_brief) of it.
    fn run_briefly(&self, job: &Job, slot: u32) {
        self.run(job, slot);
    }
}

/// A task with `total` blocks, and how far it has come.
pub struct Job {
    pub task: Arc<dyn Task>,
    /// The operation that ends when the job does.
    pub op: Arc<Op>,
    /// Greater runs sooner.
    pub priority: i32,
    /// Blocks that nobody has taken.
    blocks: Blocks,
    /// Blocks that were taken and have ended, or will never run.
    ended: AtomicU64,
    total: u64,
    stopped: AtomicBool,
    /// A bit for each thread that may take part, set while one does.
    slots: SmallVec<[AtomicU64; 2]>,
    slot_count: u32,
    /// Threads that were asked for: what the task begins may have as many.
    pub most_threads: u32,
    /// Among those that were made, where that matters.
    pub number: u64,
    /// Looks at which no thread took part while more urgent jobs had some.
    passes: AtomicU32,
    /// For a job that one thread has: a moment just before it was made.
    alone: Option<Ticks>,
}

impl Job {
    /// A job of `total` blocks, run by at most `slot_count` threads at the same time, which ends `op`.
    pub fn new(
        task: Arc<dyn Task>,
        op: Arc<Op>,
        priority: i32,
        total: u64,
        order: Order,
        slot_count: u32,
    ) -> Job {
        let number = chaos::seed().map_or(0, |_| next_number());
        let dice = chaos::dice(About::Job, &[number]);
        let most_threads = slot_count;
        let slot_count =
            dice.as_ref().map_or(slot_count, |dice| 1 + dice.below(slot_count.into()) as u32);
        let slots = (0..slot_count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Job {
            task,
            op,
            priority,
            blocks: match dice {
                Some(dice) if order == Order::Any => Blocks::shuffled(total, &dice),
                _ => Blocks::new(total, order, slot_count),
            },
            ended: AtomicU64::new(0),
            total,
            stopped: AtomicBool::new(false),
            slots,
            slot_count,
            most_threads,
            number,
            passes: AtomicU32::new(0),
            alone: None,
        }
    }

    /// A job whose `total` blocks are taken one by one in their order, never two at the same time.
    pub fn in_turn(task: Arc<dyn Task>, op: Arc<Op>, priority: i32, total: u64) -> Job {
        let mut job = Job::new(task, op, priority, total, Order::Ascending, 1);
        // Never two at a time.
        job.blocks = Blocks::in_parts(total, total);
        job
    }

    /// A job that is quick as a rule, for one thread: made just after the moment `begun`, it has taken long when the thread comes
    /// back and blocks are left, of which it takes half at first; [`Job::shared`] is for these. Its task [may
    /// stop](Task::may_stop).
    pub fn alone(
        task: Arc<dyn Task>,
        op: Arc<Op>,
        priority: i32,
        total: u64,
        order: Order,
        slot_count: u32,
        begun: Ticks,
    ) -> Job {
        // In what order they run makes a difference only to many.
        let order = if chaos::seed().is_some() { order } else { Order::Ascending };
        let mut job = Job::new(task, op, priority, total, order, slot_count);
        job.alone = Some(begun);
        job
    }

    /// What is left of a job that one thread had, for all.
    pub fn shared(mut self) -> Arc<Job> {
        self.alone = None;
        Arc::new(self)
    }

    /// The stream whose work this is.
    #[inline]
    pub fn stream(&self) -> u64 {
        self.op.stream
    }

    /// Whether every block is taken.
    #[inline]
    pub fn is_exhausted(&self) -> bool {
        self.blocks.are_taken()
    }

    /// The number of blocks that have been taken.
    pub fn taken(&self) -> u64 {
        self.total.saturating_sub(self.blocks.left())
    }

    /// Takes no further block, and asks those that run to stop.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.end(self.blocks.take_all());
    }

    /// Whether [`Job::stop`] was called.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn end(&self, blocks: u64) {
        if blocks != 0 && self.ended.fetch_add(blocks, Ordering::AcqRel) + blocks == self.total {
            op::finish(&self.op);
        }
    }

    /// Takes part, if there is a place: runs blocks until all are taken.
    pub fn take_part(&self) -> bool {
        self.take_part_by(|slot| self.task.run(self, slot))
    }

    /// Takes part in what is brief, if there is a place; leaves when that has taken long, if the task [may
    /// stop](Task::may_stop).
    pub fn take_part_briefly(&self) -> bool {
        BRIEF_SINCE.set(Some(Ticks::now()));
        let took_part = self.take_part_by(|slot| self.task.run_briefly(self, slot));
        BRIEF_SINCE.set(None);
        took_part
    }

    fn take_part_by(&self, run: impl FnOnce(u32)) -> bool {
        if self.is_exhausted() {
            return false;
        }
        let Some(slot) = self.take_slot() else { return false };
        run(slot);
        let (word, bit) = (slot as usize / 64, slot % 64);
        self.slots[word].fetch_and(!(1 << bit), Ordering::Release);
        if !self.is_exhausted() {
            Pool::get().look_again();
        }
        true
    }

    /// The slot of this processor if it is free, so that a thread of the same processor works on the same
    /// blocks when a program launches a kernel again; else the first one that is.
    fn take_slot(&self) -> Option<u32> {
        let own = pool::processor() % self.slot_count;
        if self.take(own) {
            return Some(own);
        }
        (0..self.slots.len() as u32).find_map(|word| {
            loop {
                let free = self.slots[word as usize].load(Ordering::Relaxed).trailing_ones();
                let slot = word * 64 + free;
                if free == 64 || slot >= self.slot_count {
                    return None;
                }
                if self.take(slot) {
                    return Some(slot);
                }
            }
        })
    }

    fn take(&self, slot: u32) -> bool {
        let bit = 1 << (slot % 64);
        self.slots[slot as usize / 64].fetch_or(bit, Ordering::Acquire) & bit == 0
    }

    /// Whether any thread takes part.
    pub fn has_thread(&self) -> bool {
        self.slots.iter().any(|word| word.load(Ordering::Relaxed) != 0)
    }

    /// More urgent jobs have come before it since the last look; returns at how many looks that was so.
    pub fn pass_over(&self) -> u32 {
        self.passes.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Looks at which more urgent jobs had come before it.
    pub fn passes(&self) -> u32 {
        self.passes.load(Ordering::Relaxed)
    }

    /// Whether there are blocks for another thread, and a place.
    pub fn is_open(&self) -> bool {
        !self.is_exhausted() && self.has_place()
    }

    /// Whether another thread may take part.
    pub fn has_place(&self) -> bool {
        let taken: u32 =
            self.slots.iter().map(|word| word.load(Ordering::Relaxed).count_ones()).sum();
        taken < self.slot_count
    }
}

fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The blocks that a thread has taken; they are reported as ended all at once, when it is dropped.
pub struct Taken<'a> {
    job: &'a Job,
    slot: u32,
    blocks: Cell<u64>,
    next: Cell<u64>,
    end: Cell<u64>,
    /// When the thread began, while the reserve may have to be called.
    begun: Cell<Option<Ticks>>,
    /// When the thread began, if it is to leave before long.
    brief_since: Option<Ticks>,
    /// The thread's dice for this job, where there is to be chaos.
    dice: Option<Dice>,
}

/// A job that has run for this long and still has a place is worth waking the reserve.
const LATE: Ticks = Ticks::about_micros(50);

impl<'a> Taken<'a> {
    /// The blocks of a thread that runs the job in this slot: none yet.
    pub fn new(job: &'a Job, slot: u32) -> Taken<'a> {
        // Where nobody else can take part, nobody is called.
        let may_call = job.total.min(job.slot_count.into()) > 1;
        let begun = Cell::new(may_call.then(|| job.alone.unwrap_or_else(Ticks::now)));
        let dice = chaos::dice(About::Taken, &[job.number, slot.into()]);
        let [blocks, next, end] = std::array::from_fn(|_| Cell::new(0));
        let brief_since = BRIEF_SINCE.get();
        Taken { job, slot, blocks, next, end, begun, brief_since, dice }
    }

    /// Whether no block was taken so far.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.blocks.get() == 0
    }

    fn call_reserve_if_late(&self) {
        if self.begun.get().is_some_and(|begun| Ticks::since(begun) > LATE) {
            self.begun.set(None);
            if self.job.has_place() {
                Pool::get().call_reserve();
            }
        }
    }

    /// Whether the thread that has the job alone should leave to others what is left, and there is something for others; or one
    /// that is not there for long.
    fn should_leave(&self) -> bool {
        if self.is_empty() {
            return false;
        }
        let is_late = |since: Option<Ticks>, most| since.is_some_and(|it| Ticks::since(it) > most);
        (self.job.alone.is_some() && self.job.blocks.left() > 1 && is_late(self.begun.get(), LATE))
            || (is_late(self.brief_since, BRIEF) && self.job.task.may_stop())
    }

    /// The next block to run; none once the job is stopped.
    #[inline]
    pub fn claim(&self) -> Option<u64> {
        if let Some(dice) = &self.dice {
            dice.sleep_sometimes(16);
        }
        if self.next.get() == self.end.get() {
            if self.should_leave() {
                return None;
            }
            let blocks = match self.job.alone {
                Some(_) => self.job.blocks.take_alone(self.slot),
                None => self.job.blocks.take(self.slot),
            };
            if blocks.is_empty() {
                return None;
            }
            // What is left for others is worth a look at the clock once this thread has run something.
            if self.job.alone.is_none() && !self.is_empty() && !self.job.is_exhausted() {
                self.call_reserve_if_late();
            }
            self.blocks.set(self.blocks.get() + (blocks.end - blocks.start));
            self.next.set(blocks.start);
            self.end.set(blocks.end);
        } else if self.job.is_stopped() {
            return None;
        }
        let block = self.next.get();
        self.next.set(block + 1);
        Some(block)
    }

    /// Further blocks behind the last one, so many at most, as far as they are this thread's already; returns how many. Where there
    /// is to be chaos, it stands between blocks: none.
    #[inline]
    pub fn claim_others(&self, most: u32) -> u32 {
        if self.dice.is_some() {
            return 0;
        }
        let left = u32::try_from(self.end.get() - self.next.get()).unwrap_or(u32::MAX);
        let others = most.min(left);
        self.next.set(self.next.get() + u64::from(others));
        others
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.job.end(self.blocks.get());
    }
}

#[cfg(test)]
mod tests {
    use super::super::failure::Failure;
    use super::super::op::Work;
    use super::*;
    use std::sync::Mutex;
    use std::time::Duration;

    /// Keeps the numbers of the blocks that ran, each of which takes longer than a thread keeps a job to itself.
    struct Slow(Mutex<Vec<u64>>);

    impl Task for Slow {
        fn run(&self, job: &Job, slot: u32) {
            let taken = Taken::new(job, slot);
            while let Some(block) = taken.claim() {
                std::thread::sleep(Duration::from_millis(2));
                self.0.lock().unwrap().push(block);
            }
        }

        fn may_stop(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_job_that_one_thread_has_is_left_to_others_when_it_takes_long() {
        static NONE: Failure = Failure::of(0);
        let task = Arc::new(Slow(Mutex::default()));
        let op = Op::new(1, &NONE, false, Work::Nothing);
        let job = Job::alone(task.clone(), op.clone(), 0, 8, Order::Any, 2, Ticks::now());
        assert!(job.take_part());
        // Half of the blocks, after which it was late.
        assert_eq!(*task.0.lock().unwrap(), [0, 1, 2, 3]);
        assert!(!job.is_exhausted() && !op.has_ended());
        let job = job.shared();
        assert!(job.take_part());
        assert_eq!(*task.0.lock().unwrap(), (0..8).collect::<Vec<_>>());
        assert!(job.is_exhausted() && op.has_ended());
    }

    #[test]
    fn who_takes_part_briefly_leaves_what_takes_long() {
        static NONE: Failure = Failure::of(0);
        let task = Arc::new(Slow(Mutex::default()));
        let op = Op::new(1, &NONE, false, Work::Nothing);
        let job = Job::new(task.clone(), op.clone(), 0, 8, Order::Any, 1);
        assert!(job.take_part_briefly() && !is_brief());
        assert_eq!(*task.0.lock().unwrap(), [0]);
        assert!(job.take_part() && op.has_ended());
        assert_eq!(*task.0.lock().unwrap(), (0..8).collect::<Vec<_>>());
    }
}
