//! Addresses and memory apart from each other: reservations of addresses, memory without an address, and what maps the
//! one to the other.
//!
//! A reservation is a mapping of its own that cannot be accessed; memory is a [`Piece`] of a file, which takes the place
//! of a part of it. To the rest of this library a reservation is one range of device memory: who accesses what is not
//! mapped there faults.

use std::collections::BTreeMap;
use std::sync::Arc;

use hip_runtime_sys::hipError_t;
use parking_lot::Mutex;

use super::backing_file::{Piece, of_descriptor};
use super::device::Device;
use super::memory::Kind;

/// The unit of sizes and addresses: the size of large pages, as on an H100.
pub const GRANULARITY: usize = 2 << 20;

const INVALID: hipError_t = hipError_t::hipErrorInvalidValue;
const OUT_OF_MEMORY: hipError_t = hipError_t::hipErrorOutOfMemory;

/// Memory without an address: it is there as long as a handle or a mapping has it.
pub struct Physical {
    pub piece: Piece,
    /// It counts against the device's limit: memory of other processes counts there.
    counts: bool,
}

impl Physical {
    /// New memory; other processes can get it if it `is_shareable`.
    pub fn new(size: usize, is_shareable: bool) -> Result<Physical, hipError_t> {
        let memory = &Device::get().memory;
        memory.count(size)?;
        let piece = if is_shareable { Piece::of_own(size) } else { Piece::of_common(size) };
        match piece {
            Ok(piece) => Ok(Physical { piece, counts: true }),
            Err(error) => {
                memory.discount(size);
                Err(error)
            }
        }
    }

    /// Memory that this process or another has made.
    pub fn import(fd: i32) -> Result<Physical, hipError_t> {
        Ok(Physical { piece: Piece::of_file(of_descriptor(fd)?)?, counts: false })
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        if self.counts {
            Device::get().memory.discount(self.piece.size);
        }
    }
}

/// What lies in a part of a reservation.
struct Mapping {
    size: usize,
    memory: Arc<Physical>,
    /// `PROT_READ` and `PROT_WRITE` of `mmap`.
    access: i32,
}

#[derive(Default)]
pub struct VirtualMemory(Mutex<State>);

#[derive(Default)]
struct State {
    /// Sizes of reservations, by first address.
    reservations: BTreeMap<usize, usize>,
    mappings: BTreeMap<usize, Mapping>,
}

impl State {
    /// The reservation that holds a whole range.
    fn is_reserved(&self, start: usize, size: usize) -> bool {
        let Some(end) = start.checked_add(size) else { return false };
        self.reservations.range(..=start).next_back().is_some_and(|(first, all)| end <= first + all)
    }

    /// Whether any mapping has a byte of a range.
    fn has_mapping(&self, start: usize, size: usize) -> bool {
        let last = self.mappings.range(..start + size).next_back();
        last.is_some_and(|(first, mapping)| first + mapping.size > start)
    }

    /// The first addresses of the mappings that together are exactly this range; `INVALID` if there are none.
    fn exactly(&self, start: usize, size: usize) -> Result<Vec<usize>, hipError_t> {
        let end = start.checked_add(size).filter(|_| size != 0).ok_or(INVALID)?;
        let (mut next, mut starts) = (start, Vec::new());
        while next < end {
            let mapping = self.mappings.get(&next).ok_or(INVALID)?;
            starts.push(next);
            next += mapping.size;
        }
        if next == end { Ok(starts) } else { Err(INVALID) }
    }
}

impl VirtualMemory {
    /// Takes `size` bytes of address space, whole pages, at a multiple of `align`, a power of two; at `hint` if that is
    /// free.
    pub fn reserve(&self, size: usize, align: usize, hint: usize) -> Result<usize, hipError_t> {
        let align = align.max(GRANULARITY);
        let start = at_hint(size, align, hint).map_or_else(|| anywhere(size, align), Ok)?;
        Device::get().memory.register(start, size, Kind::Reserved, 0).inspect_err(|_| {
            // SAFETY: made above, and nobody knows it.
            unsafe { libc::munmap(start as *mut _, size) };
        })?;
        self.0.lock().reservations.insert(start, size);
        Ok(start)
    }

    /// Gives a whole reservation back, in which nothing is mapped.
    pub fn free(&self, start: usize, size: usize) -> Result<(), hipError_t> {
        let mut state = self.0.lock();
        if state.reservations.get(&start) != Some(&size) || state.has_mapping(start, size) {
            return Err(INVALID);
        }
        state.reservations.remove(&start);
        Device::get().memory.detach(start, |kind| kind == Kind::Reserved);
        // SAFETY: a reservation, in which nothing lies.
        unsafe { libc::munmap(start as *mut _, size) };
        Ok(())
    }

    /// Puts the beginning of memory into a part of a reservation, where it cannot be accessed yet.
    pub fn map(&self, start: usize, size: usize, memory: Arc<Physical>) -> Result<(), hipError_t> {
        let mut state = self.0.lock();
        if !state.is_reserved(start, size)
            || state.has_mapping(start, size)
            || size == 0
            || size > memory.piece.size
        {
            return Err(INVALID);
        }
        let (fd, offset) = (memory.piece.fd(), memory.piece.offset);
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        // SAFETY: takes the place of a part of a reservation in which nothing lies.
        let mapped =
            unsafe { libc::mmap(start as *mut _, size, libc::PROT_NONE, flags, fd, offset as i64) };
        if mapped == libc::MAP_FAILED {
            return Err(OUT_OF_MEMORY);
        }
        // SAFETY: as above. A hint, without which the memory has small pages.
        unsafe { libc::madvise(start as *mut _, size, libc::MADV_HUGEPAGE) };
        state.mappings.insert(start, Mapping { size, memory, access: libc::PROT_NONE });
        Ok(())
    }

    /// Makes mappings, which together are exactly this range, parts of the reservation again. No work uses them any more.
    pub fn unmap(&self, start: usize, size: usize) -> Result<(), hipError_t> {
        let mut state = self.0.lock();
        let starts = state.exactly(start, size)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        // SAFETY: takes the place of the mappings.
        let reserved = unsafe { libc::mmap(start as *mut _, size, libc::PROT_NONE, flags, -1, 0) };
        if reserved == libc::MAP_FAILED {
            return Err(OUT_OF_MEMORY);
        }
        for start in starts {
            state.mappings.remove(&start);
        }
        Ok(())
    }

    /// Lets mappings, which together are exactly this range, be accessed so from now on.
    pub fn set_access(&self, start: usize, size: usize, access: i32) -> Result<(), hipError_t> {
        let mut state = self.0.lock();
        let starts = state.exactly(start, size)?;
        // SAFETY: the range is one of mappings.
        if unsafe { libc::mprotect(start as *mut _, size, access) } != 0 {
            return Err(OUT_OF_MEMORY);
        }
        for start in starts {
            if let Some(mapping) = state.mappings.get_mut(&start) {
                mapping.access = access;
            }
        }
        Ok(())
    }

    /// Whether nothing in mappings, which together are exactly this range, can be accessed now that could not be then.
    pub fn is_widened(&self, start: usize, size: usize, access: i32) -> Result<bool, hipError_t> {
        let state = self.0.lock();
        let starts = state.exactly(start, size)?;
        let mut mappings = starts.iter().filter_map(|start| state.mappings.get(start));
        Ok(mappings.all(|mapping| mapping.access & !access == 0))
    }

    /// How the mapping that holds an address can be accessed, and its memory.
    pub fn find(&self, address: usize) -> Option<(i32, Arc<Physical>)> {
        let state = self.0.lock();
        let (start, mapping) = state.mappings.range(..=address).next_back()?;
        (address - start < mapping.size).then(|| (mapping.access, mapping.memory.clone()))
    }
}

/// Address space where the program would like it to be, if it is free there.
fn at_hint(size: usize, align: usize, hint: usize) -> Option<usize> {
    if hint == 0 || !hint.is_multiple_of(align) {
        return None;
    }
    let flags =
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: takes the place of nothing.
    let start = unsafe { libc::mmap(hint as *mut _, size, libc::PROT_NONE, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    if start as usize != hint {
        // Old systems take it for a hint.
        // SAFETY: made above.
        unsafe { libc::munmap(start, size) };
        return None;
    }
    Some(hint)
}

/// Address space anywhere, at a multiple of `align`.
fn anywhere(size: usize, align: usize) -> Result<usize, hipError_t> {
    let whole = size.checked_add(align).ok_or(OUT_OF_MEMORY)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh private mapping.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), whole, libc::PROT_NONE, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(OUT_OF_MEMORY);
    }
    let start = start as usize;
    let first = start.next_multiple_of(align);
    // SAFETY: what lies before and behind the range within the mapping just made, whole pages.
    unsafe {
        if first != start {
            libc::munmap(start as *mut _, first - start);
        }
        libc::munmap((first + size) as *mut _, start + whole - first - size);
    }
    Ok(first)
}
