//! The threads that run jobs: one for each core, and whoever waits for a job.
//!
//! Threads without work spin for a moment, because the next launch is often near, then sleep on
//! [`Pool::epoch`], which each submission advances. One of them, the reserve, stays out of the way of a
//! program that waits for its kernels, whose own thread works on that core: it comes when a job has run for
//! a while and still has a place.
//!
//! Kernels of several devices may wait for each other, as those of NCCL do: where there are several, each has a thread
//! besides, which takes those of the device's jobs that no thread takes part in.
//!
//! Kernels of several streams may do so, too, however many: a GPU runs them side by side. As long as there are jobs that no
//! thread takes part in, one looks from time to time, and lets them have threads of their own where nothing moves. It also
//! lets one have a thread that more urgent ones have come before for long: they may be there to wait for it.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use parking_lot::Mutex;
use smallvec::SmallVec;

use super::chaos::{self, About};
use super::job::{self, Job};
use crate::guard::fault;
use crate::os::{futex, machine};
use zluda_common::config::config;
use zluda_common::warn_once;

/// Looks at the epoch before a thread goes to sleep: some tens of microseconds.
const SPINS: u32 = 2_000;

/// The time from one look for jobs that wait in vain to the next: looks cost nothing that can be measured.
const LOOK: Duration = Duration::from_millis(5);

/// Looks at which a job may have had no thread while more urgent ones had some.
const MOST_PASSES: u32 = 20;

/// Threads beside the others at most: a GPU runs 128 grids at the same time.
const MOST_SPARES: u32 = 128;

/// The states of [`Pool::watch`].
const RESTS: u32 = 0;
const WATCHES: u32 = 1;

pub struct Pool {
    /// Jobs with blocks to take, the most urgent first, in order of submission.
    jobs: Mutex<Vec<Arc<Job>>>,
    epoch: AtomicU32,
    sleepers: AtomicU32,
    /// Threads that will look at the jobs when the epoch advances, whether they sleep or spin.
    idle: AtomicU32,
    /// How often a thread has begun to take part in a job.
    begun: AtomicU64,
    /// Whether a thread looks for jobs that wait in vain.
    watch: AtomicU32,
    spares: AtomicU32,
    /// The greatest priority of the jobs begun since the last look, if that is not the least of all.
    urgent: AtomicI32,
    /// Whether a thread is there for a job that has waited for long.
    serves: AtomicBool,
    /// Advanced to call the reserve.
    calls: AtomicU32,
    /// Advanced by each submission, for the threads of devices.
    device_calls: AtomicU32,
    /// Threads of devices: one each, where there are several.
    device_threads: usize,
    threads: u32,
}

static POOL: LazyLock<&Pool> = LazyLock::new(|| {
    let device_threads = match config().devices.count {
        1 => 0,
        count => count,
    };
    Pool::new(cores(), device_threads)
});

/// Cores that this process may use: the device's multiprocessors.
pub fn cores() -> u32 {
    static CORES: LazyLock<u32> = LazyLock::new(|| {
        if let Some(dice) = chaos::dice(About::Cores, &[]) {
            // As many as programs may expect, which is what one thread runs at times.
            return 2 + dice.below(7) as u32;
        }
        std::thread::available_parallelism().map_or(1, |count| count.get() as u32)
    });
    *CORES
}

/// The processor that this thread runs on, or ran on a moment ago.
pub fn processor() -> u32 {
    machine::processor()
}

/// What has been done by some moment. New jobs make no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Progress {
    begun: u64,
    /// Blocks that were taken of those jobs that have some left.
    taken: u64,
}

impl Pool {
    /// The pool of this process.
    pub fn get() -> &'static Pool {
        &POOL
    }

    /// A pool of so many threads, and of some for devices, which never end.
    fn new(threads: u32, device_threads: usize) -> &'static Pool {
        let pool: &Pool = Box::leak(Box::new(Pool::without_threads(threads, device_threads)));
        let begin = |name: String, work: Box<dyn FnOnce() + Send>| {
            if let Err(error) = std::thread::Builder::new().name(name.clone()).spawn(work) {
                tracing::error!("no thread {name}: {error}");
            }
        };
        for index in 0..threads {
            let work = if index == 0 || index + 1 < threads { Pool::work } else { Pool::stand_by };
            begin(format!("zluda-sm{index}"), Box::new(move || work(pool)));
        }
        for device in 0..device_threads {
            begin(format!("zluda-device{device}"), Box::new(move || pool.work_for(device)));
        }
        begin("zluda-watch".to_owned(), Box::new(|| pool.watch()));
        pool
    }

    fn without_threads(threads: u32, device_threads: usize) -> Pool {
        let words = std::array::from_fn(|_| AtomicU32::new(0));
        let [epoch, sleepers, idle, watch, spares, calls, device_calls] = words;
        let (jobs, begun) = (Mutex::default(), AtomicU64::new(0));
        Pool {
            jobs,
            epoch,
            sleepers,
            idle,
            begun,
            watch,
            spares,
            urgent: AtomicI32::new(0),
            serves: AtomicBool::new(false),
            calls,
            device_calls,
            device_threads,
            threads,
        }
    }

    /// Puts a job behind others that are as urgent, or lets it stand first if nobody has a place in another. Returns
    /// whether there is another.
    pub fn lets_others_go_first(&self, job: &Job) -> bool {
        let mut jobs = self.jobs.lock();
        let Some(own) = jobs.iter().position(|other| std::ptr::eq(&**other, job)) else {
            return false;
        };
        let goes_first = |other: &Arc<Job>| other.priority >= job.priority && other.is_open();
        if !jobs.iter().any(goes_first) {
            return false;
        }
        let own = jobs.remove(own);
        let place = jobs.iter().position(|other| other.priority < own.priority);
        let place = place.unwrap_or(jobs.len());
        jobs.insert(place, own);
        true
    }

    /// Lets the threads run a job.
    pub fn submit(&self, job: Arc<Job>, blocks: u64) {
        {
            let mut jobs = self.jobs.lock();
            let place =
                jobs.iter().position(|other| other.priority < job.priority).unwrap_or(jobs.len());
            jobs.insert(place, job);
        }
        // Those that wake up wake others.
        self.announce(blocks.min(2) as u32);
    }

    /// Has a thread look at the jobs: one has left a job that has blocks, and others may have gone to sleep while there was
    /// no place in it.
    pub fn look_again(&self) {
        self.announce(1);
    }

    /// Has so many threads look at the jobs, if so many sleep.
    fn announce(&self, threads: u32) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
        self.wake(threads);
        if self.device_threads != 0 {
            self.device_calls.fetch_add(1, Ordering::SeqCst);
            futex::wake(&self.device_calls, u32::MAX);
        }
        if self.idle.load(Ordering::SeqCst) == 0 {
            self.call_watch();
        }
    }

    /// Has jobs looked for that wait in vain: there is one that no thread is about to look at.
    fn call_watch(&self) {
        if self.watch.load(Ordering::SeqCst) == RESTS
            && self.watch.swap(WATCHES, Ordering::SeqCst) == RESTS
        {
            futex::wake(&self.watch, 1);
        }
    }

    fn wake(&self, count: u32) {
        if self.sleepers.load(Ordering::SeqCst) != 0 {
            futex::wake(&self.epoch, count.min(self.threads));
        }
    }

    /// Takes part in the first job that has a block, a place, and what `wanted` asks for. Returns
    /// whether there was one. If others were quicker to take its place, there may be another job, which nobody will be
    /// called for again: only who hears that there was none may sleep.
    pub fn help(&self, wanted: impl Fn(&Job) -> bool) -> bool {
        let Some(job) = self.find(wanted) else { return false };
        job.take_part();
        true
    }

    /// Takes part in the first job that `is_own` or that no thread takes part in and is [brief](Task::is_brief), for a thread
    /// of the program that waits for its own. Returns whether there was one.
    ///
    /// A GPU begins a small kernel of another stream at once, and programs exist that read what it has written without a
    /// wait, once they have waited for later work. Here the thread that is to run it may have to be woken.
    pub fn help_while_waiting(&self, is_own: impl Fn(&Job) -> bool) -> bool {
        // What is brief waits for its own alone.
        let is_brief = |job: &Job| !job::is_brief() && !job.has_thread() && job.task.is_brief();
        let Some(job) = self.find(|job| is_own(job) || is_brief(job)) else { return false };
        if is_own(&job) {
            job.take_part();
        } else if is_brief(&job) {
            job.take_part_briefly();
        }
        true
    }

    /// Runs some of what is brief and no thread takes part in, for a thread of the program that is about to see what the device
    /// has written, and has nothing to wait for.
    pub fn catch_up(&self) {
        const MOST: u32 = 16;
        let _ = (0..MOST).take_while(|_| self.help_while_waiting(|_| false)).count();
    }

    /// The first job that has a block, a place, and what `wanted` asks for, which the caller takes part in.
    fn find(&self, wanted: impl Fn(&Job) -> bool) -> Option<Arc<Job>> {
        let (job, ended) = {
            let mut jobs = self.jobs.lock();
            // They go when the lock has gone: what a task has may end with it, and be the program's.
            let ended: SmallVec<[Arc<Job>; 4]> =
                jobs.extract_if(.., |job| job.is_exhausted()).collect();
            let mut fit = jobs.iter().filter(|job| job.is_open() && wanted(job));
            let job = match chaos::dice_of_thread() {
                None => fit.next().cloned(),
                Some(dice) => {
                    let fit: Vec<_> = fit.collect();
                    fit.get(dice.below(fit.len() as u64) as usize).copied().cloned()
                }
            };
            if let Some(job) = &job {
                if job.priority > 0 {
                    self.urgent.fetch_max(job.priority, Ordering::Relaxed);
                }
                self.begun.fetch_add(1, Ordering::Relaxed);
                // Nobody who has seen this one may come for another.
                if jobs.iter().any(|other| !Arc::ptr_eq(other, job) && !other.has_thread()) {
                    self.call_watch();
                }
            }
            (job, ended)
        };
        drop(ended);
        let job = job?;
        if let Some(dice) = chaos::dice_of_thread() {
            dice.sleep_sometimes(8);
        }
        Some(job)
    }

    /// Waits for a moment until there is news for the thread, which has the only place in its job. Returns whether there is; not so
    /// where another job needs a thread.
    pub fn linger(&self, has_news: impl Fn() -> bool) -> bool {
        let epoch = self.epoch.load(Ordering::SeqCst);
        if self.jobs.lock().iter().any(|other| other.is_open()) {
            return has_news();
        }
        self.idle.fetch_add(1, Ordering::SeqCst);
        for _ in 0..SPINS {
            std::hint::spin_loop();
            if has_news() || self.epoch.load(Ordering::Relaxed) != epoch {
                break;
            }
        }
        self.idle.fetch_sub(1, Ordering::SeqCst);
        let has_news = has_news();
        // Whoever has put a job in meanwhile counts on this thread, which may now be kept for long.
        if has_news
            && self.epoch.load(Ordering::SeqCst) != epoch
            && self.jobs.lock().iter().any(|other| other.is_open() && !other.has_thread())
        {
            self.call_watch();
        }
        has_news
    }

    /// Wakes the reserve.
    pub fn call_reserve(&self) {
        self.calls.fetch_add(1, Ordering::SeqCst);
        futex::wake(&self.calls, 1);
    }

    fn stand_by(&self) {
        fault::own_thread();
        loop {
            let calls = self.calls.load(Ordering::SeqCst);
            if !self.help(|_| true) {
                futex::wait(&self.calls, calls);
            }
        }
    }

    fn work_for(&self, device: usize) {
        fault::own_thread();
        loop {
            let calls = self.device_calls.load(Ordering::SeqCst);
            if !self.help(|job| job.op.failure.device == device && !job.has_thread()) {
                futex::wait(&self.device_calls, calls);
            }
        }
    }

    fn work(&self) {
        fault::own_thread();
        loop {
            let epoch = self.epoch.load(Ordering::SeqCst);
            if self.help(|_| true) {
                continue;
            }
            self.idle.fetch_add(1, Ordering::SeqCst);
            let has_slept = !(0..SPINS).any(|_| {
                std::hint::spin_loop();
                self.epoch.load(Ordering::Relaxed) != epoch
            });
            if has_slept {
                self.sleepers.fetch_add(1, Ordering::SeqCst);
                if self.epoch.load(Ordering::SeqCst) == epoch {
                    futex::wait(&self.epoch, epoch);
                }
                self.sleepers.fetch_sub(1, Ordering::SeqCst);
            }
            // Whoever puts a job in from now on may not count on this thread: it may take one that comes before.
            self.idle.fetch_sub(1, Ordering::SeqCst);
            if has_slept && self.jobs.lock().iter().any(|job| !job.is_exhausted()) {
                self.wake(2);
            }
        }
    }

    /// How many jobs no thread takes part in, whether more urgent ones have come before one of them for long, and what has
    /// been done by now.
    fn progress(&self) -> (usize, bool, Progress) {
        let urgent = self.urgent.swap(0, Ordering::Relaxed);
        let jobs = self.jobs.lock();
        let open = || jobs.iter().filter(|job| !job.is_exhausted());
        let taken = open().map(|job| job.taken()).sum();
        let begun = self.begun.load(Ordering::Relaxed);
        let (mut waiting, mut is_late) = (0, false);
        for job in open().filter(|job| !job.has_thread()) {
            waiting += 1;
            if job.priority < urgent {
                is_late |= job.pass_over() > MOST_PASSES;
            }
        }
        (waiting, is_late, Progress { begun, taken })
    }

    /// Looks whether jobs wait for a thread while no thread takes a block: then all threads have blocks that may wait for
    /// these.
    fn watch(&'static self) {
        let (mut last, mut spares) = (None, 1usize);
        loop {
            while self.watch.load(Ordering::SeqCst) == RESTS {
                futex::wait(&self.watch, RESTS);
            }
            std::thread::sleep(LOOK);
            // Whoever has a reason from now on calls again.
            self.watch.store(RESTS, Ordering::SeqCst);
            let (waiting, is_late, progress) = self.progress();
            if waiting == 0 {
                (last, spares) = (None, 1);
                continue;
            }
            self.watch.store(WATCHES, Ordering::SeqCst);
            if last == Some(progress) {
                (0..spares.min(waiting)).for_each(|_| self.call_spare());
                // These may wait for others.
                spares = spares.saturating_mul(2);
            } else if is_late && !self.serves.swap(true, Ordering::Relaxed) {
                let end = || self.serves.store(false, Ordering::Relaxed);
                let is_there = self.spawn(move || {
                    self.help(|job| !job.has_thread() && job.passes() > MOST_PASSES);
                    end();
                });
                if !is_there {
                    end();
                }
            }
            last = Some(progress);
        }
    }

    /// Lets a new thread take part in a job that no other one does.
    fn call_spare(&'static self) {
        if self.spares.fetch_add(1, Ordering::Relaxed) >= MOST_SPARES {
            self.spares.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let end = || self.spares.fetch_sub(1, Ordering::Relaxed);
        let is_there = self.spawn(move || {
            self.help(|job| !job.has_thread());
            end();
        });
        if !is_there {
            end();
        }
    }

    /// Begins a thread for a job; returns whether there is one.
    fn spawn(&self, work: impl FnOnce() + Send + 'static) -> bool {
        let thread = std::thread::Builder::new().name("zluda-spare".to_owned());
        let spawned = thread.spawn(|| {
            fault::own_thread();
            work();
        });
        if let Err(error) = &spawned {
            // It may be asked for at each look.
            warn_once!("no thread for a job: {error}");
        }
        spawned.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::Order;
    use super::super::failure::Failure;
    use super::super::job::{Taken, Task};
    use super::super::op::{Op, Work};
    use super::*;
    use std::sync::Barrier;
    use std::time::Duration;

    static NONE: Failure = Failure::of(0);

    /// Runs all blocks that it gets.
    struct Plain;

    impl Task for Plain {
        fn run(&self, job: &Job, slot: u32) {
            let taken = Taken::new(job, slot);
            while taken.claim().is_some() {}
        }
    }

    fn job(task: Arc<dyn Task>, stream: u64) -> (Arc<Job>, Arc<Op>) {
        let op = Op::new(stream, &NONE, false, Work::Nothing);
        (Arc::new(Job::new(task, op.clone(), 0, 1, Order::Ascending, 1)), op)
    }

    #[test]
    fn who_is_late_for_one_job_looks_for_another() {
        let pool = Pool::without_threads(1, 0);
        let ((first, first_op), (second, second_op)) =
            (job(Arc::new(Plain), 1), job(Arc::new(Plain), 2));
        pool.submit(first.clone(), 1);
        pool.submit(second, 1);
        // Another thread takes the first one's only place just after it was seen to be free.
        let take = |job: &Job| {
            if job.stream() == 1 {
                assert!(first.take_part());
            }
            true
        };
        assert!(pool.help(take) && first_op.has_ended() && !second_op.has_ended());
        assert!(pool.help(|_| true) && second_op.has_ended());
        assert!(!pool.help(|_| true));
    }

    /// Waits for nothing, and looks whether others would be taken meanwhile.
    struct Brief(&'static Pool);

    impl Task for Brief {
        fn run(&self, job: &Job, slot: u32) {
            Plain.run(job, slot);
            assert!(!self.0.help_while_waiting(|_| false), "it waits for what is not its own");
        }

        fn is_brief(&self) -> bool {
            true
        }
    }

    #[test]
    fn who_waits_runs_what_is_brief_and_came_before() {
        let pool: &Pool = Box::leak(Box::new(Pool::without_threads(1, 0)));
        let jobs = [
            job(Arc::new(Plain), 1),
            job(Arc::new(Brief(pool)), 2),
            job(Arc::new(Plain), 3),
            job(Arc::new(Brief(pool)), 4),
        ];
        jobs.iter().for_each(|(job, _)| pool.submit(job.clone(), 1));
        let ended = || [0, 1, 2, 3].map(|number| jobs[number].1.has_ended());
        let help = || pool.help_while_waiting(|job| job.stream() == 3);
        assert!(help() && ended() == [false, true, false, false]);
        assert!(help() && ended() == [false, true, true, false]);
        assert!(help() && ended() == [false, true, true, true]);
        assert!(!help() && pool.help(|_| true) && ended() == [true; 4]);
    }

    #[test]
    fn what_is_brief_has_run_when_a_program_catches_up() {
        let pool: &Pool = Box::leak(Box::new(Pool::without_threads(1, 0)));
        let (long, brief) = (job(Arc::new(Plain), 1), job(Arc::new(Brief(pool)), 2));
        // What a thread takes part in is that thread's.
        let other = Arc::new(Barrier::new(2));
        let task = Leaves { meets: other.clone(), has_left: AtomicBool::new(false) };
        let taken = job(Arc::new(task), 3).0;
        let thread = std::thread::spawn({
            let taken = taken.clone();
            move || taken.take_part()
        });
        other.wait();
        for job in [&taken, &long.0, &brief.0] {
            pool.submit(job.clone(), 1);
        }
        pool.catch_up();
        assert!(brief.1.has_ended() && !long.1.has_ended() && !taken.is_exhausted());
        other.wait();
        assert!(thread.join().unwrap() && taken.take_part());
    }

    /// Leaves its block to others at first, once both have met twice.
    struct Leaves {
        meets: Arc<Barrier>,
        has_left: AtomicBool,
    }

    impl Task for Leaves {
        fn run(&self, job: &Job, slot: u32) {
            if self.has_left.swap(true, Ordering::Relaxed) {
                return Plain.run(job, slot);
            }
            self.meets.wait();
            self.meets.wait();
        }
    }

    #[test]
    fn what_a_thread_leaves_is_run_by_those_that_sleep() {
        let meets = Arc::new(Barrier::new(2));
        let task = Leaves { meets: meets.clone(), has_left: AtomicBool::new(false) };
        let (job, op) = job(Arc::new(task), 3);
        let leaves = job.clone();
        let thread = std::thread::spawn(move || leaves.take_part());
        meets.wait();
        // There is no place in it: its threads go to sleep.
        Pool::get().submit(job, 1);
        std::thread::sleep(Duration::from_millis(100));
        meets.wait();
        assert!(thread.join().unwrap());
        assert!(comes(|| op.has_ended()), "nobody came");
    }

    /// Looks at the jobs when it goes, as the end of a program's task may.
    struct Looks(&'static Pool);

    impl Task for Looks {
        fn run(&self, job: &Job, slot: u32) {
            Plain.run(job, slot);
        }
    }

    impl Drop for Looks {
        fn drop(&mut self) {
            assert!(!self.0.help(|_| true));
        }
    }

    /// Whether something comes to be so before long.
    fn comes(what: impl Fn() -> bool) -> bool {
        (0..1000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            what()
        })
    }

    #[test]
    fn tasks_end_where_the_jobs_are_not_locked() {
        let pool: &Pool = Box::leak(Box::new(Pool::without_threads(1, 0)));
        let (job, _) = job(Arc::new(Looks(pool)), 4);
        pool.submit(job.clone(), 1);
        assert!(job.take_part());
        drop(job);
        let thread = std::thread::spawn(|| assert!(!pool.help(|_| true)));
        assert!(comes(|| thread.is_finished()), "it waits for its own lock");
        thread.join().unwrap();
    }

    /// Keeps its thread until the next one has begun.
    struct Waits {
        begun: Arc<[AtomicBool; 8]>,
        number: usize,
    }

    impl Task for Waits {
        fn run(&self, job: &Job, slot: u32) {
            let taken = Taken::new(job, slot);
            while taken.claim().is_some() {
                self.begun[self.number].store(true, Ordering::SeqCst);
                let next = self.begun.get(self.number + 1);
                while next.is_some_and(|next| !next.load(Ordering::SeqCst)) {
                    std::thread::yield_now();
                }
            }
        }
    }

    #[test]
    fn jobs_that_wait_for_one_another_run_side_by_side() {
        for threads in 1..4 {
            let (pool, begun) = (Pool::new(threads, 0), Arc::<[AtomicBool; 8]>::default());
            let waits = |number| Waits { begun: begun.clone(), number };
            let ops = std::array::from_fn::<_, 8, _>(|number| {
                let (job, op) = job(Arc::new(waits(number)), number as u64);
                pool.submit(job, 1);
                op
            });
            // What else comes meanwhile is no sign that those go on.
            let go_on = || {
                pool.submit(job(Arc::new(Plain), 9).0, 1);
                ops.iter().all(|op| op.has_ended())
            };
            assert!(comes(go_on), "of {threads} threads");
        }
    }

    /// Puts a job like itself into the pool, until the operation has ended.
    struct Again(&'static Pool, Arc<Op>);

    impl Task for Again {
        fn run(&self, job: &Job, slot: u32) {
            Plain.run(job, slot);
            if !self.1.has_ended() {
                self.0.submit(urgent(self.0, &self.1), 1);
            }
        }
    }

    fn urgent(pool: &'static Pool, last: &Arc<Op>) -> Arc<Job> {
        let op = Op::new(5, &NONE, false, Work::Nothing);
        let task = Arc::new(Again(pool, last.clone()));
        Arc::new(Job::new(task, op, 1, 1, Order::Ascending, 1))
    }

    #[test]
    fn urgent_jobs_do_not_keep_others_waiting_for_ever() {
        let pool = Pool::new(1, 0);
        let (job, op) = job(Arc::new(Plain), 6);
        pool.submit(urgent(pool, &op), 1);
        pool.submit(job, 1);
        assert!(comes(|| op.has_ended()));
    }
}
