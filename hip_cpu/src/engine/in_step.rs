//! Warps of the reference executor whose threads keep step ([`cpu_abi::FLAG_IN_STEP`]).
//!
//! Code stops at numbered places. When no thread of a warp can go on otherwise, those go on that have come to the
//! lowest number, together. So threads that have parted meet again behind the branch or loop that parted them.

use std::arch::x86_64::__m128i;
use std::cell::{Cell, RefCell};

use cpu_abi::{LARGEST_LOAD, ThreadContext, WARP_SIZE};

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
    /// For each warp, what the threads have read since they last went on.
    found: Vec<RefCell<Vec<Found>>>,
}

/// What a load of several threads found.
struct Found {
    place: u32,
    address: *const u8,
    bytes: Box<Bytes>,
}

#[repr(align(64))]
struct Bytes([u8; LARGEST_LOAD]);

const _: () = assert!(align_of::<Bytes>() == LARGEST_LOAD);

impl Steps {
    /// Of a block of so many threads.
    pub fn new(threads: u32) -> Steps {
        Steps {
            places: (0..threads).map(|_| Cell::new(None)).collect(),
            without: (0..threads.div_ceil(WARP_SIZE)).map(|_| Cell::new(0)).collect(),
            found: (0..threads.div_ceil(WARP_SIZE)).map(|_| RefCell::default()).collect(),
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
        self.found[warp as usize].borrow_mut().clear();
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

/// [`cpu_abi::Runtime::load_together`].
pub unsafe extern "sysv64" fn load_together(
    thread: *const ThreadContext,
    place: u32,
    address: *const u8,
    size: u32,
) -> *const u8 {
    // SAFETY: a kernel passes the context that it was called with; `engine` is the block.
    let (block, warp) = unsafe { (&*(*thread).engine.cast::<Block>(), (*thread).warp) };
    come(block, place);
    let found = &block.steps.found[warp as usize];
    let known = |found: &&Found| found.place == place && found.address == address;
    if let Some(found) = found.borrow().iter().find(known) {
        return found.bytes.0.as_ptr();
    }
    // Before anything else, since the address is the program's own.
    // SAFETY: what lies at a bad address ends the kernel, which holds nothing.
    let bytes = unsafe { read(address, size as usize) };
    block.on_thread_stack(|| {
        let mut found = found.borrow_mut();
        found.push(Found { place, address, bytes: Box::new(bytes) });
        found.last().map_or(address, |last| last.bytes.0.as_ptr())
    })
}

/// Reads in pieces as large as the processor reads at once.
unsafe fn read(address: *const u8, size: usize) -> Bytes {
    let mut bytes = Bytes([0; LARGEST_LOAD]);
    let mut done = 0;
    while done < size {
        let (from, to) = (address.wrapping_add(done), bytes.0[done..].as_mut_ptr());
        // SAFETY: the caller's, and pieces end before `size`.
        done += unsafe {
            match size - done {
                16.. => piece::<__m128i>(from, to),
                8.. => piece::<u64>(from, to),
                4.. => piece::<u32>(from, to),
                2.. => piece::<u16>(from, to),
                _ => piece::<u8>(from, to),
            }
        };
    }
    bytes
}

/// Copies what has a register; returns its size.
#[inline(always)]
unsafe fn piece<T: Copy>(from: *const u8, to: *mut u8) -> usize {
    // SAFETY: the caller's.
    unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) };
    size_of::<T>()
}

/// Every thread of the block waits, or has yielded: warps go on in which none has.
pub fn go_on(block: &Block) {
    let have_yielded = block.warps_that_yield();
    for warp in (0..block.steps.without.len() as u32).filter(|warp| have_yielded & 1 << warp == 0) {
        block.steps.go_on(block, warp);
    }
}
