//! Work that several threads share: numbered blocks, taken in order.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use smallvec::SmallVec;

use crate::core::op::{self, Op};

/// What a job does.
pub trait Task: Send + Sync {
    /// Runs blocks, taken with [`Job::claim`], until there are none. `slot` is unique among the threads
    /// that run this job at the same time.
    fn run(&self, job: &Job, slot: u32);
}

/// A task with `total` blocks, and how far it has come.
pub struct Job {
    pub task: Box<dyn Task>,
    /// The operation that ends when the job does.
    op: Arc<Op>,
    /// Greater runs sooner.
    pub priority: i32,
    /// The next block to take; `total` or more when there is none.
    next: AtomicU64,
    /// Blocks that were taken and have ended, or will never run.
    ended: AtomicU64,
    total: u64,
    stopped: AtomicBool,
    /// A bit for each thread that may take part, set while one does.
    slots: SmallVec<[AtomicU64; 2]>,
    slot_count: u32,
}

impl Job {
    pub fn new(
        task: Box<dyn Task>,
        op: Arc<Op>,
        priority: i32,
        total: u64,
        slot_count: u32,
    ) -> Job {
        let slots = (0..slot_count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let (next, ended) = (AtomicU64::new(0), AtomicU64::new(0));
        Job {
            task,
            op,
            priority,
            next,
            ended,
            total,
            stopped: AtomicBool::new(false),
            slots,
            slot_count,
        }
    }

    /// The stream whose work this is.
    pub fn stream(&self) -> u64 {
        self.op.stream
    }

    /// Takes the next blocks: a share of those that are left, so that threads seldom meet at the counter
    /// while there are many, and end together. Every lower block is taken already, by a thread that runs
    /// its blocks in order; so a block may wait for lower ones.
    fn claim(&self) -> Range<u64> {
        // The look before the leap keeps idle threads from writing to the line.
        let left = self.total.saturating_sub(self.next.load(Ordering::Relaxed));
        if left == 0 {
            return 0..0;
        }
        let count = (left / (SHARES * u64::from(self.slot_count))).clamp(1, MOST_AT_ONCE);
        let first = self.next.fetch_add(count, Ordering::Relaxed);
        first.min(self.total)..(first + count).min(self.total)
    }

    /// Whether every block is taken.
    pub fn is_exhausted(&self) -> bool {
        self.next.load(Ordering::Relaxed) >= self.total
    }

    /// Takes no further block, and asks those that run to stop.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        let next = self.next.swap(self.total, Ordering::Relaxed);
        self.end(self.total.saturating_sub(next));
    }

    /// Whether [`Job::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn end(&self, blocks: u64) {
        if blocks != 0 && self.ended.fetch_add(blocks, Ordering::AcqRel) + blocks == self.total {
            op::finish(self.op.clone());
        }
    }

    /// Takes part, if there is a place: runs blocks until all are taken.
    pub fn take_part(&self) -> bool {
        if self.is_exhausted() {
            return false;
        }
        let Some(slot) = self.take_slot() else { return false };
        self.task.run(self, slot);
        let (word, bit) = (slot as usize / 64, slot % 64);
        self.slots[word].fetch_and(!(1 << bit), Ordering::Release);
        true
    }

    fn take_slot(&self) -> Option<u32> {
        for (index, word) in self.slots.iter().enumerate() {
            let mut value = word.load(Ordering::Relaxed);
            loop {
                let bit = value.trailing_ones();
                let slot = index as u32 * 64 + bit;
                if bit == 64 || slot >= self.slot_count {
                    break;
                }
                match word.compare_exchange_weak(
                    value,
                    value | 1 << bit,
                    Ordering::Acquire,
                    Ordering::Relaxed,
                ) {
                    Ok(_) => return Some(slot),
                    Err(now) => value = now,
                }
            }
        }
        None
    }

    /// Whether another thread may take part.
    pub fn has_place(&self) -> bool {
        let taken: u32 =
            self.slots.iter().map(|word| word.load(Ordering::Relaxed).count_ones()).sum();
        taken < self.slot_count
    }
}

/// A thread takes about this part of its even share at a time.
const SHARES: u64 = 8;

/// Blocks that a thread takes at a time at most.
const MOST_AT_ONCE: u64 = 8;

/// The blocks that a thread has taken; they are reported as ended all at once, when it is dropped.
pub struct Taken<'a> {
    job: &'a Job,
    blocks: Cell<u64>,
    next: Cell<u64>,
    end: Cell<u64>,
}

impl<'a> Taken<'a> {
    pub fn new(job: &'a Job) -> Taken<'a> {
        Taken { job, blocks: Cell::new(0), next: Cell::new(0), end: Cell::new(0) }
    }

    /// Whether no block was taken so far.
    pub fn is_empty(&self) -> bool {
        self.blocks.get() == 0
    }

    /// The next block to run; none once the job is stopped.
    pub fn claim(&self) -> Option<u64> {
        if self.next.get() == self.end.get() {
            let blocks = self.job.claim();
            self.blocks.set(self.blocks.get() + (blocks.end - blocks.start));
            self.next.set(blocks.start);
            self.end.set(blocks.end);
            if blocks.is_empty() {
                return None;
            }
        } else if self.job.is_stopped() {
            return None;
        }
        let block = self.next.get();
        self.next.set(block + 1);
        Some(block)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.job.end(self.blocks.get());
    }
}
