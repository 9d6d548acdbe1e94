//! Warps of the reference executor whose threads keep step ([`cpu_abi::FLAG_IN_STEP`]).
//!
//! Code stops at numbered places. When no thread of a warp can go on otherwise, those go on that have come to the
//! lowest number, together. So threads that have parted meet again behind the branch or loop that parted them.

use std::cell::Cell;

use cpu_abi::WARP_SIZE;

use super::block::Block;
use super::rendezvous::lanes;

/// So many times in a row may a warp come to accesses that synchronize without one that waits. A thread that waits may be what the
/// others wait for, as with a lock that it holds; then GPUs that keep step hang. Here all go on for as many times, each for itself.
const PATIENCE: u32 = 1 << 20;

/// The threads of a block that wait for others of their warps.
pub struct Steps {
    /// For each thread, the place at which it waits.
    places: Vec<Cell<Option<u32>>>,
    /// For each warp, how many times in a row it came to accesses that synchronize without one that waits; from [`PATIENCE`] on its
    /// threads part.
    without: Vec<Cell<u32>>,
}

impl Steps {
    /// Of a block of so many threads.
    pub fn new(threads: u32) -> Steps {
        Steps {
            places: (0..threads).map(|_| Cell::new(None)).collect(),
            without: (0..threads.div_ceil(WARP_SIZE)).map(|_| Cell::new(0)).collect(),
        }
    }

    /// Nobody waits: a new block begins.
    pub fn reset(&self) {
        self.places.iter().for_each(|place| place.set(None));
        self.without.iter().for_each(|times| times.set(0));
    }

    /// The lowest place at which any lane of a warp waits, and the lanes that do.
    fn first(&self, warp: u32) -> Option<(u32, u32)> {
        let place = |lane| self.places.get((warp * WARP_SIZE + lane) as usize)?.get();
        let first = lanes(u32::MAX).filter_map(place).min()?;
        let there = lanes(u32::MAX).filter(|lane| place(*lane) == Some(first));
        Some((first, there.fold(0, |mask, lane| mask | 1 << lane)))
    }

    /// Lets the lanes of a warp go on whose turn it is.
    fn go_on(&self, block: &Block, warp: u32) {
        let without = &self.without[warp as usize];
        let have_parted = without.get() >= PATIENCE;
        let mut synchronizes = false;
        let mut count = 0;
        while let Some((place, there)) = self.first(warp) {
            if count > 0 && !have_parted {
                without.set(without.get() + u32::from(synchronizes));
                return;
            }
            for lane in lanes(there) {
                let thread = warp * WARP_SIZE + lane;
                self.places[thread as usize].set(None);
                block.wake(thread, there.into());
            }
            synchronizes = place & 1 != 0;
            count += 1;
        }
        let apart_for = if have_parted { without.get() + 1 } else { 0 };
        without.set(if apart_for < 2 * PATIENCE { apart_for } else { 0 });
    }
}

/// The running thread comes to a place; returns the lanes with which it goes on.
pub fn come(block: &Block, place: u32) -> u32 {
    block.steps.places[block.current() as usize].set(Some(place));
    block.wait() as u32
}

/// Every thread of the block waits, or has yielded: warps go on in which none has.
pub fn go_on(block: &Block) {
    // A block has 32 warps at most.
    let have_yielded =
        block.ready().iter().fold(0, |warps, thread| warps | 1 << (thread / WARP_SIZE));
    for warp in (0..block.steps.without.len() as u32).filter(|warp| have_yielded & 1 << warp == 0) {
        block.steps.go_on(block, warp);
    }
}
