//! The heap of kernels: `malloc` and `free` in device code.

use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::os::memory;
use crate::ranges::FreeRanges;

const ALIGN: usize = 16;
/// CUDA's default for `cudaLimitMallocHeapSize`.
const DEFAULT: usize = 8 << 20;

/// Its size is fixed by the first allocation; what it knows of its blocks lies elsewhere, out of reach of
/// kernels that write past an end.
pub struct Heap {
    limit: AtomicUsize,
    state: Mutex<Option<State>>,
}

struct State {
    start: usize,
    size: usize,
    free: FreeRanges,
    taken: FxHashMap<usize, usize>,
}

impl Default for Heap {
    fn default() -> Self {
        Heap { limit: AtomicUsize::new(DEFAULT), state: Mutex::new(None) }
    }
}

impl Heap {
    /// The size of the heap, in bytes.
    pub fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Sets the size; has no effect on a heap that is in use.
    pub fn set_limit(&self, size: usize) {
        self.limit.store(size, Ordering::Relaxed);
        let mut state = self.state.lock();
        if state.as_ref().is_some_and(|state| state.taken.is_empty()) {
            *state = None;
        }
    }

    /// The address of `size` new bytes, or nothing when the heap is full.
    pub fn allocate(&self, size: usize) -> Option<usize> {
        let size = size.max(1).checked_next_multiple_of(ALIGN)?;
        let mut state = self.state.lock();
        if state.is_none() {
            *state = State::new(self.limit());
        }
        let state = state.as_mut()?;
        let start = state.free.take(size)?;
        state.taken.insert(start, size);
        Some(start)
    }

    /// Whether the address was one that [`Heap::allocate`] gave and that was not freed yet.
    pub fn free(&self, address: usize) -> bool {
        let mut state = self.state.lock();
        let Some(state) = state.as_mut() else { return false };
        let Some(size) = state.taken.remove(&address) else { return false };
        state.free.give(address, size);
        true
    }

    /// Sets the size that it has where nobody says another.
    pub fn set_default_limit(&self) {
        self.set_limit(DEFAULT);
    }

    /// Frees everything.
    pub fn reset(&self) {
        *self.state.lock() = None;
    }
}

impl State {
    fn new(size: usize) -> Option<State> {
        let size = size.max(1).checked_next_multiple_of(4096)?;
        let start = memory::reserve(size)?;
        if !memory::commit(start, size) {
            memory::release(start, size);
            return None;
        }
        let free = FreeRanges::new(start, size);
        Some(State { start, size, free, taken: FxHashMap::default() })
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // Kernels that know addresses in it have ended.
        memory::release(self.start, self.size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_heap_gives_nothing_until_something_is_freed() {
        let heap = Heap::default();
        heap.set_limit(64 << 10);
        let blocks: Vec<_> = std::iter::from_fn(|| heap.allocate(1000)).collect();
        assert_eq!(blocks.len(), (64 << 10) / 1008);
        assert!(heap.free(blocks[3]));
        assert!(!heap.free(blocks[3]));
        assert!(!heap.free(blocks[4] + 16));
        assert_eq!(heap.allocate(1000), Some(blocks[3]));
    }
}
