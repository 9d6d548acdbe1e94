//! Device memory apart from the host's, where the executor wants it so: programs know it by addresses at which the host
//! finds nothing, as that of a card.
//!
//! The address space has two windows of one size. Addresses of the device lie in the outer one, where nothing is ever mapped;
//! what is at such an address lies at the same place of the inner one, where copies, fills and the executor find it. All
//! other addresses are those of the host, and [`place`] leaves them as they are.

use std::cell::Cell;
use std::sync::OnceLock;

use parking_lot::Mutex;

use super::executor::executor;
use super::tables::tables;
use crate::guard::attempt;
use crate::os::memory;
use crate::ranges::FreeRanges;

/// The outer window: it lies where no system puts anything by itself, which is from `0x2aaa_aaaa_a000` upwards, or from the
/// top downwards. ThreadSanitizer maps all there, for notes or so that nobody else does, and leaves the lowest 2 TiB as they are.
const OUTER: usize =
    if cfg!(zluda_sanitizer = "thread") { 0x100_0000_0000 } else { 0x2000_0000_0000 };
/// Bytes of a window: more than any program reserves. ThreadSanitizer leaves programs less than 2 TiB.
const SIZE: usize = if cfg!(zluda_sanitizer = "thread") { 1 << 39 } else { 8 << 40 };

/// The windows, where memory is apart.
#[derive(Debug)]
struct Windows {
    inner: usize,
    free: Mutex<Free>,
}

/// The addresses of the device that nobody has. Those that somebody had are used again when there are no others: who uses
/// memory that was freed is to be found out.
#[derive(Debug)]
struct Free {
    /// From here on nobody has had any.
    fresh: usize,
    returned: FreeRanges,
}

impl Free {
    fn take(&mut self, size: usize, align: usize) -> Option<usize> {
        let start = self.fresh.checked_next_multiple_of(align)?;
        if self.take_fresh(start, size) {
            Some(start)
        } else {
            self.returned.take_aligned(size, align)
        }
    }

    /// Takes what begins behind all that was taken before. Returns whether the window has it.
    fn take_fresh(&mut self, start: usize, size: usize) -> bool {
        let end = start.checked_add(size).filter(|end| *end <= OUTER + SIZE);
        let Some(end) = end.filter(|_| start >= self.fresh) else { return false };
        if start != self.fresh {
            self.returned.give(self.fresh, start - self.fresh);
        }
        self.fresh = end;
        true
    }
}

/// None: the memory of the device is the host's.
static WINDOWS: OnceLock<Option<Windows>> = OnceLock::new();

#[inline]
fn windows() -> Option<&'static Windows> {
    WINDOWS.get_or_init(|| executor().has_memory_apart().then(Windows::open).flatten()).as_ref()
}

impl Windows {
    fn open() -> Option<Windows> {
        // Large pages are so at both ends.
        let Some(inner) = memory::reserve_aligned(SIZE, 2 << 20) else {
            tracing::error!(
                "no address space for device memory apart from the host's: it is the host's"
            );
            return None;
        };
        attempt::own(inner, SIZE);
        let free = Free { fresh: OUTER, returned: FreeRanges::default() };
        Some(Windows { inner, free: Mutex::new(free) })
    }
}

/// Where what is at an address of the device lies.
#[inline]
pub fn place(address: usize) -> usize {
    let offset = address.wrapping_sub(OUTER);
    if offset >= SIZE {
        return address;
    }
    windows().map_or(address, |windows| windows.inner + offset)
}

/// Whether the memory of the device lies apart.
pub fn is_apart() -> bool {
    windows().is_some()
}

/// The address of the device of what lies at a place; the opposite of [`place`].
#[inline]
pub fn address(place: usize) -> usize {
    let Some(windows) = windows() else { return place };
    let offset = place.wrapping_sub(windows.inner);
    if offset < SIZE { OUTER + offset } else { place }
}

/// Places for `size` bytes, whole pages, whose addresses begin at a multiple of `align`, a power of two that is a page at least; nothing can be
/// accessed there yet. As [`memory::reserve_aligned`] where memory is not apart.
pub fn reserve(size: usize, align: usize) -> Option<usize> {
    match windows() {
        None => memory::reserve_aligned(size, align),
        Some(windows) => windows.free.lock().take(size, align).map(place),
    }
}

/// The same at this address of the device, if nothing is there.
pub fn reserve_at(address: usize, size: usize) -> Option<usize> {
    match windows() {
        None => memory::reserve_at(address, size),
        Some(windows) => {
            let mut free = windows.free.lock();
            let taken = free.returned.take_at(address, size) || free.take_fresh(address, size);
            taken.then(|| place(address))
        }
    }
}

/// Gives back what [`reserve`] or [`memory::reserve`] gave, which nobody uses any more.
pub fn release(start: usize, size: usize) {
    match windows() {
        Some(windows) if start.wrapping_sub(windows.inner) < SIZE => {
            // What cannot be made address space again is lost.
            if memory::unmap_file(start, size) {
                windows.free.lock().returned.give(address(start), size);
            }
        }
        _ => memory::release(start, size),
    }
}

/// Whether kernels find memory of the host at this address: pinned, registered or managed memory, to whole pages. `false` for
/// all other where memory is apart; where it is not, they find all that the host finds.
pub fn is_known_of_host(address: usize) -> bool {
    thread_local! {
        /// What was found last, and when.
        static LAST: Cell<(usize, usize, u64)> = const { Cell::new((0, 0, 0)) };
    }
    if !is_apart() {
        return true;
    }
    let now = super::memory::changes();
    let (start, size, then) = LAST.get();
    if address.wrapping_sub(start) < size && then == now {
        return true;
    }
    let Some((start, size)) = tables().memory.reach(address) else { return false };
    LAST.set((start, size, now));
    true
}

/// Memory of the device that is nobody's allocation, all 0 at first: what an executor loads.
#[derive(Debug)]
pub struct Loaded {
    place: usize,
    size: usize,
}

impl Loaded {
    /// Room for `size` bytes, to whole pages; none if there is no memory.
    pub fn new(size: usize) -> Option<Loaded> {
        const PAGE: usize = 4 << 10;
        let size = size.max(1).checked_next_multiple_of(PAGE)?;
        let loaded = Loaded { place: reserve(size, PAGE)?, size };
        memory::commit(loaded.place, size).then_some(loaded)
    }

    /// The address of the device.
    pub fn address(&self) -> usize {
        address(self.place)
    }

    /// Where it lies.
    pub fn place(&self) -> usize {
        self.place
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The bytes, which nothing on the device knows yet.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: committed above, and only this has them.
        unsafe { std::slice::from_raw_parts_mut(self.place as *mut u8, self.size) }
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        release(self.place, self.size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_used_again_last() {
        const PAGE: usize = 4 << 10;
        let mut free = Free { fresh: OUTER, returned: FreeRanges::default() };
        let first = free.take(PAGE, PAGE);
        assert_eq!(first, Some(OUTER));
        free.returned.give(OUTER, PAGE);
        assert_eq!(free.take(PAGE, PAGE), Some(OUTER + PAGE));
        // What is left out for alignment is there still.
        assert_eq!(free.take(PAGE, 4 * PAGE), Some(OUTER + 4 * PAGE));
        assert!(!free.take_fresh(OUTER + 4 * PAGE, PAGE));
        assert!(free.take_fresh(OUTER + 8 * PAGE, PAGE));
        assert!(!free.take_fresh(OUTER + 16 * PAGE, SIZE));
        assert!(free.take_fresh(OUTER + 9 * PAGE, SIZE - 9 * PAGE));
        assert_eq!(free.take(PAGE, PAGE), Some(OUTER));
        assert_eq!(free.take(2 * PAGE, PAGE), Some(OUTER + 2 * PAGE));
        assert_eq!(free.take(3 * PAGE, PAGE), Some(OUTER + 5 * PAGE));
        assert_eq!(free.take(PAGE, PAGE), None);
    }
}
