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
        self.epoch.fetch_add(1, Ordering::SeqCst);
        // Those that wake up wake others.
        self.wake(blocks.min(2) as u32);
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
    /// whether there was one.
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
        job.is_some_and(|job| job.take_part())
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
