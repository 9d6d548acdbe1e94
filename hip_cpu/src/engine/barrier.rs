//! The 16 named barriers of a block.
//!
//! Threads are counted in whole units: a warp of vector code arrives as 32 threads, whichever lanes are
//! active, as barriers do that are executed by a warp together; a thread of the reference executor
//! counts for itself.

use cpu_abi::{BarrierReduction, WARP_SIZE};

use super::block::{Block, Mode};
use super::groups;

/// Barriers in a block.
pub const COUNT: usize = 16;

/// What a unit brings.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// `0..16`; greater numbers wrap.
    pub id: u32,
    /// Threads that the barrier waits for; 0: all that live.
    pub threads: u32,
    /// The lanes that arrive, and those of them that bring true.
    pub mask: u32,
    pub predicates: u32,
    pub reduction: Option<BarrierReduction>,
    /// Whether the unit waits for the others.
    pub waits: bool,
}

#[derive(Default)]
struct Barrier {
    /// Units that have arrived.
    arrived: u32,
    /// As in [`Arrival`], of the last one to arrive.
    threads: u32,
    trues: u32,
    all: bool,
    waiters: Vec<(u32, Option<BarrierReduction>)>,
}

pub struct Barriers([Barrier; COUNT]);

impl Barriers {
    pub fn new() -> Barriers {
        let mut barriers = Barriers(Default::default());
        barriers.reset();
        barriers
    }

    pub fn reset(&mut self) {
        for barrier in &mut self.0 {
            barrier.clear();
        }
    }
}

impl Barrier {
    fn clear(&mut self) {
        self.arrived = 0;
        self.threads = 0;
        self.trues = 0;
        self.all = true;
        self.waiters.clear();
    }

    /// Whether all have come.
    fn is_complete(&self, block: &Block) -> bool {
        if self.arrived == 0 {
            return false;
        }
        match (self.threads, block.mode) {
            (0, _) => self.arrived >= block.live(),
            (threads, Mode::Threads) => self.arrived >= threads,
            (threads, Mode::Warps | Mode::Whole) => self.arrived * WARP_SIZE >= threads,
        }
    }

    fn result(&self, reduction: Option<BarrierReduction>) -> u64 {
        match reduction {
            None => 0,
            Some(BarrierReduction::Popc) => u64::from(self.trues),
            Some(BarrierReduction::And) => u64::from(self.all),
            Some(BarrierReduction::Or) => u64::from(self.trues != 0),
        }
    }

    /// Lets everybody go on.
    fn complete(&mut self, block: &Block) {
        for (unit, reduction) in &self.waiters {
            block.wake(*unit, self.result(*reduction));
        }
        self.clear();
    }
}

/// The running unit arrives, and waits if it says so. Returns the result of the reduction.
// Inlined, because each return after a switch is mispredicted.
#[inline(always)]
pub fn arrive(block: &Block, arrival: Arrival) -> u32 {
    if groups::has_parted(block) {
        return groups::arrive(block, arrival);
    }
    arrive_together(block, arrival)
}

/// The whole unit arrives.
#[inline(always)]
pub fn arrive_together(block: &Block, arrival: Arrival) -> u32 {
    if block.mode == Mode::Whole {
        return arrive_whole(block, arrival);
    }
    {
        let mut barriers = block.barriers.borrow_mut();
        let barrier = &mut barriers.0[arrival.id as usize % COUNT];
        if barrier.waiters.capacity() == 0 {
            block.on_thread_stack(|| barrier.waiters.reserve(block.units()));
        }
        barrier.arrived += 1;
        barrier.threads = arrival.threads;
        let trues = arrival.predicates & arrival.mask;
        barrier.trues += trues.count_ones();
        barrier.all &= trues == arrival.mask;
        if barrier.is_complete(block) {
            let result = barrier.result(arrival.reduction);
            barrier.complete(block);
            return result as u32;
        }
        if !arrival.waits {
            return 0;
        }
        barrier.waiters.push((block.current(), arrival.reduction));
    }
    block.wait() as u32
}

/// A block that runs in one call: its warps come one after the other, so only a single one may wait.
fn arrive_whole(block: &Block, arrival: Arrival) -> u32 {
    if block.context().warps > 1 && arrival.waits {
        block.on_thread_stack(|| {
            tracing::error!("kernel {} waits, but does not say so", block.launch().kernel.name);
        });
        block.wait();
    }
    let trues = arrival.predicates & arrival.mask;
    match arrival.reduction {
        None => 0,
        Some(BarrierReduction::Popc) => trues.count_ones(),
        Some(BarrierReduction::And) => u32::from(trues == arrival.mask),
        Some(BarrierReduction::Or) => u32::from(trues != 0),
    }
}

/// Barriers that wait for all threads may be complete now.
pub fn unit_ended(block: &Block) {
    if block.mode == Mode::Whole {
        return;
    }
    let mut barriers = block.barriers.borrow_mut();
    for barrier in &mut barriers.0 {
        if barrier.arrived != 0 && barrier.threads == 0 && barrier.is_complete(block) {
            barrier.complete(block);
        }
    }
}
