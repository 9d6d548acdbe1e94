//! The heap of kernels: `malloc` and `free` in device code.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::os::memory;
use crate::ranges::FreeRanges;

const ALIGN: usize = 16;
/// Before each block, for the program: nvcc's `new T[n]` keeps the number of elements in the eight bytes before what `malloc`
/// returns, of which it asks for none.
const HEADER: usize = ALIGN;
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
    /// Addresses that programs have, and the ranges that these are of.
    taken: FxHashMap<usize, Range<usize>>,
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

    /// The address of `size` new bytes, a multiple of `alignment`, or nothing when the heap is full or the alignment is no
    /// power of two.
    pub fn allocate(&self, size: usize, alignment: usize) -> Option<usize> {
        if !alignment.is_power_of_two() {
            return None;
        }
        let size = size.max(1).checked_add(HEADER)?.checked_next_multiple_of(ALIGN)?;
        // Ranges begin at multiples of ALIGN.
        let size = size.checked_add(alignment.saturating_sub(ALIGN))?;
        let mut state = self.state.lock();
        if state.is_none() {
            *state = State::new(self.limit());
        }
        let state = state.as_mut()?;
        let start = state.free.take(size)?;
        let address = (start + HEADER).next_multiple_of(alignment);
        state.taken.insert(address, start..start + size);
        Some(address)
    }

    /// Whether the address was one that [`Heap::allocate`] gave and that was not freed yet.
    pub fn free(&self, address: usize) -> bool {
        let mut state = self.state.lock();
        let Some(state) = state.as_mut() else { return false };
        let Some(range) = state.taken.remove(&address) else { return false };
        state.free.give(range.start, range.len());
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
        let blocks: Vec<_> = std::iter::from_fn(|| heap.allocate(1000, 16)).collect();
        assert_eq!(blocks.len(), (64 << 10) / 1024);
        assert!(heap.free(blocks[3]));
        assert!(!heap.free(blocks[3]));
        assert!(!heap.free(blocks[4] + 16));
        assert_eq!(heap.allocate(1000, 16), Some(blocks[3]));
    }

    #[test]
    fn blocks_are_aligned_as_wished_and_apart() {
        let heap = Heap::default();
        heap.set_limit(1 << 20);
        for alignment in [0, 3, 24, usize::MAX] {
            assert_eq!(heap.allocate(8, alignment), None, "{alignment}");
        }
        assert_eq!(heap.allocate(8, 1 << 40), None);
        assert_eq!(heap.allocate(usize::MAX - 8, 16), None);
        let mut ends = vec![];
        for shift in 0..17 {
            let address = heap.allocate(40, 1 << shift).unwrap();
            assert_eq!(address % (1 << shift), 0);
            // What programs may write: eight bytes before the block, too.
            ends.push(address - 8..address + 40);
        }
        ends.sort_by_key(|range| range.start);
        assert!(ends.windows(2).all(|pair| pair[0].end <= pair[1].start));
        assert!(ends.iter().all(|range| heap.free(range.start + 8)));
        assert!(heap.allocate((1 << 20) - HEADER, 16).is_some());
    }
}
