//! The threads that run jobs: one for each core, and whoever waits for a job.
//!
//! Threads without work spin for a moment, because the next launch is often near, then sleep on
//! [`Pool::epoch`], which each submission advances. One of them, the reserve, stays out of the way of a
//! program that waits for its kernels, whose own thread works on that core: it comes when a job has run for
//! a while and still has a place.
//!
//! Kernels of several devices may wait for each other, as those of NCCL do: where there are several, each has a thread
//! besides, which takes those of the device's jobs that no thread takes part in.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use super::chaos::{self, About};
use super::job::Job;
use crate::guard::fault;
use crate::os::{futex, machine};
use zluda_common::config::config;

/// Looks at the epoch before a thread goes to sleep: some tens of microseconds.
const SPINS: u32 = 2_000;

pub struct Pool {
    /// Jobs with blocks to take, the most urgent first, in order of submission.
    jobs: Mutex<Vec<Arc<Job>>>,
    epoch: AtomicU32,
    sleepers: AtomicU32,
    /// Advanced to call the reserve.
    calls: AtomicU32,
    /// Advanced by each submission, for the threads of devices.
    device_calls: AtomicU32,
    /// Threads of devices: one each, where there are several.
    device_threads: usize,
    threads: u32,
}

static POOL: LazyLock<Pool> = LazyLock::new(|| {
    let threads = cores();
    for index in 0..threads {
        let work = if index == 0 || index + 1 < threads { Pool::work } else { Pool::stand_by };
        let spawned =
            std::thread::Builder::new().name(format!("zluda-sm{index}")).spawn(move || work(&POOL));
        if let Err(error) = spawned {
            tracing::error!("no thread for multiprocessor {index}: {error}");
        }
    }
    let device_threads = match config().devices.count {
        1 => 0,
        count => count,
    };
    for device in 0..device_threads {
        let thread = std::thread::Builder::new().name(format!("zluda-device{device}"));
        if let Err(error) = thread.spawn(move || POOL.work_for(device)) {
            tracing::error!("no thread for device {device}: {error}");
        }
    }
    let [epoch, sleepers, calls, device_calls] = std::array::from_fn(|_| AtomicU32::new(0));
    Pool { jobs: Mutex::default(), epoch, sleepers, calls, device_calls, device_threads, threads }
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

impl Pool {
    /// The pool of this process.
    pub fn get() -> &'static Pool {
        &POOL
    }

    /// Puts a job behind others that are as urgent, or lets it stand first if nobody has a place in another. Returns
    /// whether there is another.
    pub fn lets_others_go_first(&self, job: &Job) -> bool {
        let mut jobs = self.jobs.lock();
        jobs.retain(|job| !job.is_exhausted());
        let Some(own) = jobs.iter().position(|other| std::ptr::eq(&**other, job)) else {
            return false;
        };
        let others = |other: &Arc<Job>| other.priority >= job.priority && other.has_place();
        if !jobs.iter().any(others) {
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
        let job = {
            let mut jobs = self.jobs.lock();
            jobs.retain(|job| !job.is_exhausted());
            let mut fit = jobs.iter().filter(|job| job.has_place() && wanted(job));
            match chaos::dice_of_thread() {
                None => fit.next().cloned(),
                Some(dice) => {
                    let fit: Vec<_> = fit.collect();
                    fit.get(dice.below(fit.len() as u64) as usize).copied().cloned()
                }
            }
        };
        let Some(job) = job else { return false };
        if let Some(dice) = chaos::dice_of_thread() {
            dice.sleep_sometimes(8);
        }
        job.take_part();
        true
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
            if (0..SPINS).any(|_| {
                std::hint::spin_loop();
                self.epoch.load(Ordering::Relaxed) != epoch
            }) {
                continue;
            }
            self.sleepers.fetch_add(1, Ordering::SeqCst);
            if self.epoch.load(Ordering::SeqCst) == epoch {
                futex::wait(&self.epoch, epoch);
            }
            self.sleepers.fetch_sub(1, Ordering::SeqCst);
            let more = self.jobs.lock().iter().any(|job| !job.is_exhausted());
            if more {
                self.wake(2);
            }
        }
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
    use std::sync::atomic::AtomicBool;
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

    fn job(task: Box<dyn Task>, stream: u64) -> (Arc<Job>, Arc<Op>) {
        let op = Op::new(stream, &NONE, false, Work::Nothing);
        (Arc::new(Job::new(task, op.clone(), 0, 1, Order::Ascending, 1)), op)
    }

    #[test]
    fn who_is_late_for_one_job_looks_for_another() {
        let words = || std::array::from_fn(|_| AtomicU32::new(0));
        let [epoch, sleepers, calls, device_calls] = words();
        let jobs = Mutex::default();
        let pool =
            Pool { jobs, epoch, sleepers, calls, device_calls, device_threads: 0, threads: 1 };
        let ((first, first_op), (second, second_op)) =
            (job(Box::new(Plain), 1), job(Box::new(Plain), 2));
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
        let (job, op) = job(Box::new(task), 3);
        let leaves = job.clone();
        let thread = std::thread::spawn(move || leaves.take_part());
        meets.wait();
        // There is no place in it: its threads go to sleep.
        Pool::get().submit(job, 1);
        std::thread::sleep(Duration::from_millis(100));
        meets.wait();
        assert!(thread.join().unwrap());
        let has_ended = || {
            std::thread::sleep(Duration::from_millis(10));
            op.has_ended()
        };
        assert!((0..1000).any(|_| has_ended()), "nobody came");
    }
}
