//! Shared memory of blocks: arenas below 4 GiB, so that 32-bit shared addresses are whole.

use cpu_abi::{CLUSTER_SHARED_STRIDE, MAX_CLUSTER_BLOCKS};
use hip_host::os::memory;
use parking_lot::Mutex;

/// Bytes for each block: the most shared memory that a block can have, and slack.
pub const ARENA_SIZE: usize = 256 << 10;
const GUARD: usize = 4 << 10;
const STRIDE: usize = CLUSTER_SHARED_STRIDE as usize;
/// Addresses a megabyte behind the last one are below 4 GiB yet, as compiled code takes for granted.
const HIGHEST: usize = (1 << 32) - (1 << 20);

/// By the number of blocks.
static FREE: Mutex<[Vec<usize>; MAX_CLUSTER_BLOCKS as usize + 1]> =
    Mutex::new([const { Vec::new() }; MAX_CLUSTER_BLOCKS as usize + 1]);

/// The shared memory of the blocks of one cluster at a time. Its contents are whatever was there before.
pub struct Arena {
    start: usize,
    blocks: u32,
}

impl Arena {
    /// An arena for that many blocks, or nothing where memory below 4 GiB is exhausted.
    pub fn new(blocks: u32) -> Option<Arena> {
        let free = FREE.lock().get_mut(blocks as usize)?.pop();
        let start = free.or_else(|| map(blocks as usize))?;
        Some(Arena { start, blocks })
    }

    /// The first byte of a block's shared memory; aligned to a page.
    pub fn pointer(&self, block: u32) -> *mut u8 {
        (self.start + block as usize * STRIDE) as *mut u8
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if let Some(free) = FREE.lock().get_mut(self.blocks as usize) {
            free.push(self.start);
        }
    }
}

/// Room for some blocks, with inaccessible pages between them.
fn map(blocks: usize) -> Option<usize> {
    let whole = (blocks - 1) * STRIDE + ARENA_SIZE + 2 * GUARD;
    let start = memory::reserve_low(whole)?;
    let start_of_data = start + GUARD;
    let accessible =
        (0..blocks).all(|block| memory::commit(start_of_data + block * STRIDE, ARENA_SIZE));
    if !accessible || start + whole > HIGHEST {
        memory::release(start, whole);
        return None;
    }
    Some(start_of_data)
}
