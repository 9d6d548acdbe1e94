//! The 16 named barriers of a block, and those of its groups of four warps.
//!
//! Warps come to them as a whole, and count as 32 threads. An NVIDIA H100 does not count a part of a warp: who has
//! come waits until the others of the warp come too, or have exited, and nobody may wait at another barrier meanwhile.

use cpu_abi::{BarrierReduction, WARP_SIZE};

use hip_runtime_sys::hipError_t;

use super::block::{Block, Mode};
use super::rendezvous::{Operation, Rendezvous, lanes};
use super::{groups, reference, runtime};

/// Barriers in a block: 16 that programs name, and behind them one for each four warps, at which `wgmma.wait_group` waits.
pub const COUNT: usize = 24;

/// CUDA's code of illegal instructions, for which HIP has no name.
const ILLEGAL_INSTRUCTION: hipError_t = hipError_t(715);

/// The arrival of a warp's lanes at a barrier of the block.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Below [`COUNT`].
    pub id: u32,
    /// Threads that the barrier waits for; 0: all that live.
    pub threads: u32,
    /// The lanes that arrive, and those of them that bring true.
    pub mask: u32,
    pub predicates: u32,
    pub reduction: Option<BarrierReduction>,
    /// Whether the warp waits for the others.
    pub waits: bool,
}

impl Arrival {
    /// The operation for which lanes of a warp meet that come to the barrier one by one.
    pub fn operation(&self) -> Operation {
        let Arrival { id, threads, reduction, waits, .. } = *self;
        Operation::Barrier { id, threads, reduction, waits }
    }

    /// The arrival of the lanes that have met; nothing if they met for something else.
    pub fn of(rendezvous: &Rendezvous) -> Option<Arrival> {
        let Operation::Barrier { id, threads, reduction, waits } = rendezvous.what else {
            return None;
        };
        let (mask, predicates) = (rendezvous.arrived, rendezvous.trues());
        Some(Arrival { id, threads, mask, predicates, reduction, waits })
    }
}

#[derive(Default)]
struct Barrier {
    warps: u32,
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
    /// The barriers of a block, at which no warp has arrived.
    pub fn new() -> Barriers {
        let mut barriers = Barriers(Default::default());
        barriers.reset();
        barriers
    }

    /// Forgets all arrivals: a new block begins.
    pub fn reset(&mut self) {
        for barrier in &mut self.0 {
            barrier.clear();
        }
    }
}

impl Barrier {
    fn clear(&mut self) {
        self.warps = 0;
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
        match self.threads {
            0 => self.arrived >= block.live(),
            threads => self.warps * WARP_SIZE >= threads,
        }
    }

    /// A warp comes, as so many units.
    fn count(&mut self, arrival: &Arrival, units: u32) {
        self.warps += 1;
        self.arrived += units;
        self.threads = arrival.threads;
        let trues = arrival.predicates & arrival.mask;
        self.trues += trues.count_ones();
        self.all &= trues == arrival.mask;
    }

    fn result(&self, reduction: Option<BarrierReduction>) -> u64 {
        match reduction {
            None => 0,
            Some(BarrierReduction::Popc) => u64::from(self.trues),
            Some(BarrierReduction::And) => u64::from(self.all),
            Some(BarrierReduction::Or) => u64::from(self.trues != 0),
        }
    }

    /// Lets everybody go on, warp 0 first: programs lack barriers between what thread 0 reads and what
    /// other warps store, and on GPUs the oldest warp is the first to issue.
    fn complete(&mut self, block: &Block) {
        self.waiters.sort_unstable_by_key(|(unit, _)| *unit);
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
    block.may_preempt();
    if !arrival.threads.is_multiple_of(WARP_SIZE) || arrival.threads == 0 && !arrival.waits {
        refuse_count(block, &arrival);
    }
    if block.mode == Mode::Threads {
        return reference::arrive(block, arrival);
    }
    if groups::has_parted(block) {
        return groups::arrive(block, arrival);
    }
    arrive_together(block, arrival)
}

/// Ends the launch: a number of threads that is no number of warps is an illegal instruction, and so is none where nobody
/// waits, as on an H100.
#[cold]
fn refuse_count(block: &Block, arrival: &Arrival) {
    block.on_thread_stack(|| {
        let (name, ctaid) = (&block.launch().kernel.name, block.context().ctaid);
        let threads = arrival.threads;
        tracing::error!("kernel {name}: block {ctaid:?}: a barrier for {threads} threads");
    });
    runtime::stop(block, ILLEGAL_INSTRUCTION);
}

/// Ends the launch if lanes of the warp wait at another barrier, or for another number of threads, as an H100 does:
/// they would wait for the running ones, and these for them.
pub fn refuse_another(block: &Block, warp: u32, arrival: &Arrival) {
    let waits_elsewhere = |rendezvous: &Rendezvous| {
        let Some(other) = Arrival::of(rendezvous) else { return false };
        rendezvous.warp == warp && (other.id, other.threads) != (arrival.id, arrival.threads)
    };
    if !block.rendezvous.borrow().iter().any(waits_elsewhere) {
        return;
    }
    block.on_thread_stack(|| {
        let (name, ctaid) = (&block.launch().kernel.name, block.context().ctaid);
        tracing::error!(
            "kernel {name}: block {ctaid:?}, warp {warp}: lanes wait at different barriers"
        );
    });
    runtime::stop(block, ILLEGAL_INSTRUCTION);
}

/// The running unit arrives, a whole warp or more.
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
        barrier.count(&arrival, 1);
        let is_complete = barrier.is_complete(block);
        let is_first = || barrier.waiters.iter().all(|(unit, _)| *unit > block.current());
        if is_complete && (!arrival.waits || is_first()) {
            let result = barrier.result(arrival.reduction);
            barrier.complete(block);
            drop(barriers);
            block.may_preempt();
            return result as u32;
        }
        if !arrival.waits {
            return 0;
        }
        barrier.waiters.push((block.current(), arrival.reduction));
        if is_complete {
            barrier.complete(block);
        }
    }
    block.wait() as u32
}

/// The threads of a warp arrive, each a unit; all of them are woken in the end.
pub fn arrive_threads(block: &Block, warp: u32, arrival: Arrival) {
    let units = lanes(arrival.mask).map(|lane| warp * WARP_SIZE + lane);
    let mut barriers = block.barriers.borrow_mut();
    let barrier = &mut barriers.0[arrival.id as usize % COUNT];
    barrier.count(&arrival, arrival.mask.count_ones());
    if arrival.waits {
        barrier.waiters.extend(units.map(|unit| (unit, arrival.reduction)));
    } else {
        units.for_each(|unit| block.wake(unit, 0));
    }
    if barrier.is_complete(block) {
        barrier.complete(block);
    }
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
