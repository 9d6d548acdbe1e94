//! The blocks of a cluster: in flight together, on one thread, with shared memory side by side.
//!
//! A launch without clusters runs each block as a cluster of its own.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use hip_host::work::job::Job;
use parking_lot::Mutex;

use super::arena::Arena;
use super::block::{Block, Outcome};
use super::launch::{LONG, Launch};

/// So often in a row may nothing happen before the thread lets others run. `nanosleep`, with which the look-back of CUB
/// begins, may end at once; what it waits for is there most often.
const IDLE_ROUNDS: u32 = 8;
/// After how many rounds in which something happened the clock is read: it takes as long as one of them.
const ROUNDS_PER_LOOK: u32 = 8;

/// State that the blocks of a cluster share; reached from kernels through their blocks.
pub struct Cluster {
    /// Units of all blocks that have not ended.
    live: Cell<u32>,
    /// Units of them that have not arrived at the barrier in this phase.
    missing: Cell<u32>,
    /// Phases of the barrier that are complete.
    phase: Cell<u64>,
    /// Units that wait for the end of the phase: addresses of their blocks, and their numbers.
    waiting: RefCell<Vec<(*const Block, u32)>>,
}

impl Cluster {
    fn begin(&self, units: u32) {
        self.live.set(units);
        self.missing.set(units);
        self.phase.set(0);
        self.waiting.borrow_mut().clear();
    }

    /// `barrier.cluster.arrive` of the running unit of a block.
    pub fn arrive(&self, block: &Block) {
        let unit = block.current();
        // A warp whose lanes come apart has arrived with the first of them.
        if block.cluster_arrivals(unit) > self.phase.get() {
            return;
        }
        block.set_cluster_arrivals(unit, self.phase.get() + 1);
        self.one_less();
    }

    /// `barrier.cluster.wait` of the running unit of a block.
    pub fn wait(&self, block: &Block) {
        let unit = block.current();
        if block.cluster_arrivals(unit) <= self.phase.get() {
            return;
        }
        block.on_thread_stack(|| self.waiting.borrow_mut().push((block, unit)));
        block.wait();
    }

    /// A unit has ended: nobody waits for it any more.
    pub fn unit_ended(&self, block: &Block, unit: u32) {
        self.live.set(self.live.get() - 1);
        if block.cluster_arrivals(unit) <= self.phase.get() {
            self.one_less();
        }
    }

    fn one_less(&self) {
        self.missing.set(self.missing.get() - 1);
        if self.missing.get() != 0 {
            return;
        }
        self.phase.set(self.phase.get() + 1);
        self.missing.set(self.live.get());
        for (block, unit) in self.waiting.borrow_mut().drain(..) {
            // SAFETY: the blocks of a cluster live until all of them have ended.
            unsafe { (*block).wake(unit, 0) };
        }
    }
}

/// Room for a cluster, used for one after the other.
pub struct ResidentCluster {
    // Kernels hold the addresses of their blocks.
    #[expect(clippy::vec_box)]
    blocks: Vec<Box<Block>>,
    cluster: Box<Cluster>,
    arena: Arena,
}

/// Rooms that launches of whole blocks have left, for others: to make one costs as much as several small blocks.
static FREE: Mutex<Vec<Free>> = Mutex::new(Vec::new());

/// A room that belongs to no launch.
struct Free(ResidentCluster);

// SAFETY: no block runs in it, and who takes it sets what it points to before one does.
unsafe impl Send for Free {}

impl ResidentCluster {
    /// Room for whole blocks of a launch, which lives longer, one after the other. Nothing where memory is exhausted.
    pub fn of_whole_blocks(launch: &Launch, job: &Job, slot: u32) -> Option<ResidentCluster> {
        let free = FREE.lock().pop();
        let Some(Free(mut room)) = free else { return ResidentCluster::new(launch, job, slot) };
        room.blocks[0].renew(launch, job, slot, &room.arena);
        Some(room)
    }

    /// Leaves room for whole blocks, all of which have ended as they should, to the next launch.
    pub fn leave(self) {
        FREE.lock().push(Free(self));
    }

    /// Room for clusters of a launch, which lives longer. Nothing where memory is exhausted.
    pub fn new(launch: &Launch, job: &Job, slot: u32) -> Option<ResidentCluster> {
        let count = launch.cluster_blocks();
        let arena = Arena::new(count)?;
        let cluster = Box::new(Cluster {
            live: Cell::new(0),
            missing: Cell::new(0),
            phase: Cell::new(0),
            waiting: RefCell::new(Vec::new()),
        });
        let blocks = (0..count).map(|index| Block::new(launch, job, slot, &arena, index, &cluster));
        Some(ResidentCluster { blocks: blocks.collect(), cluster, arena })
    }

    /// The first block.
    pub fn block(&self) -> &Block {
        &self.blocks[0]
    }

    /// Sets the group up for the cluster of this number.
    pub fn begin(&self, number: u64) {
        let mut units = 0;
        for (index, block) in self.blocks.iter().enumerate() {
            block.begin(block.launch().cluster_ctaid(number, index as u32));
            units += block.live();
        }
        self.cluster.begin(units);
    }

    /// Runs the whole cluster to its end, or until it has done nothing but wait for so long, or has not ended for
    /// [`LONG`]: a loop that waits may come to barriers in each round.
    pub fn run(&self, patience: Option<Duration>) -> Option<Outcome> {
        let mut last_moved = None;
        let (mut idle_rounds, mut busy_rounds) = (0, 0u32);
        let begun = patience.map(|_| Instant::now());
        loop {
            let mut moved = false;
            if let Some(outcome) = self.step(&mut moved) {
                return Some(outcome);
            }
            if moved {
                last_moved = None;
                idle_rounds = 0;
                busy_rounds = busy_rounds.wrapping_add(1);
                if busy_rounds.is_multiple_of(ROUNDS_PER_LOOK)
                    && begun.is_some_and(|begun| begun.elapsed() > LONG)
                {
                    return None;
                }
                continue;
            }
            idle_rounds += 1;
            if idle_rounds < IDLE_ROUNDS {
                continue;
            }
            // Every unit spins: what they wait for happens on another thread, or in another block.
            std::thread::yield_now();
            if let Some(patience) = patience
                && last_moved.get_or_insert_with(Instant::now).elapsed() > patience
            {
                return None;
            }
        }
    }

    /// Resumes every ready unit once. Returns an outcome when the cluster has ended; sets `moved` if
    /// anything but yielding happened.
    pub fn step(&self, moved: &mut bool) -> Option<Outcome> {
        for block in self.blocks.iter().filter(|block| block.live() != 0) {
            match block.step(moved) {
                None | Some(Outcome::Finished) => {}
                Some(failure) => return Some(self.give_up(failure)),
            }
        }
        if self.blocks.iter().all(|block| block.live() == 0) {
            return Some(Outcome::Finished);
        }
        if self.blocks.iter().all(|block| !block.is_ready()) {
            return Some(self.give_up(Outcome::Deadlock));
        }
        None
    }

    fn give_up(&self, outcome: Outcome) -> Outcome {
        self.blocks.iter().for_each(|block| block.abandon());
        outcome
    }
}
