//! A stretch of the device's memory that the host finds at the device's addresses.

use std::ops::Range;
use std::ptr::null_mut;

use crate::{Device, Failure, difference};

/// Bytes of a page.
pub(crate) const PAGE: usize = 4 << 10;

/// Allocations of a device begin at multiples of this.
const GRAIN: usize = 256;

/// More changes than this are not copied one by one.
const MOST_CHANGES: usize = 256;

/// Memory of the host's with bytes of the device.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// The addresses, whole pages.
    pub(crate) addresses: Range<usize>,
    /// The parts of them that are allocations.
    pieces: Vec<Range<usize>>,
    /// What the device had.
    before: Pages,
    /// What was mapped to the addresses.
    aside: Vec<(usize, Pages)>,
    /// Whether the host finds it.
    is_there: bool,
}

impl Chunk {
    /// Copies the device's memory at whole pages, in some of which there is none, and maps it there.
    pub(crate) fn open<D: Device>(
        device: &D,
        addresses: Range<usize>,
    ) -> Result<Chunk, Failure<D::Error>> {
        let pieces = pieces(device, addresses.clone());
        let size = addresses.len();
        let mut content = Pages::new(size).ok_or(Failure::OutOfMemory)?;
        let mut before = Pages::new(size).ok_or(Failure::OutOfMemory)?;
        for piece in &pieces {
            let range = piece.start - addresses.start..piece.end - addresses.start;
            device
                .read(piece.start, &mut content.bytes()[range.clone()])
                .map_err(Failure::Device)?;
            before.bytes()[range.clone()].copy_from_slice(&content.bytes()[range]);
        }
        // What is set aside goes back as the chunk is dropped.
        let mut chunk = Chunk { addresses, pieces, before, aside: Vec::new(), is_there: false };
        set_aside(chunk.addresses.clone(), &mut chunk.aside).ok_or(Failure::OutOfMemory)?;
        content.place(chunk.addresses.start).ok_or(Failure::OutOfMemory)?;
        chunk.is_there = true;
        Ok(chunk)
    }

    /// Whether no allocation has any of it.
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Puts back what was mapped to the addresses, and copies to the device what has changed.
    pub(crate) fn close<D: Device>(mut self, device: &D) -> Result<(), Failure<D::Error>> {
        let start = self.addresses.start;
        let mut now = Pages::take(self.addresses.clone()).ok_or(Failure::OutOfMemory)?;
        self.is_there = false;
        self.put_back();
        for piece in &self.pieces {
            let range = piece.start - start..piece.end - start;
            let (old, new) = (&self.before.bytes()[range.clone()], &mut now.bytes()[range]);
            write(device, piece.start, old, new)?;
        }
        Ok(())
    }

    /// Maps what was there before to the addresses again.
    fn put_back(&mut self) {
        for (address, pages) in self.aside.drain(..) {
            if pages.place(address).is_none() {
                tracing::error!("what was mapped at {address:#x} is not there any more");
            }
        }
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        if self.is_there {
            unmap(self.addresses.clone());
        }
        self.put_back();
    }
}

/// The allocations at whole pages, and of each what lies there.
fn pieces(device: &impl Device, addresses: Range<usize>) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut next = addresses.start;
    while next < addresses.end {
        next = match device.allocation(next) {
            Some(allocation) => {
                let piece = next..allocation.end.min(addresses.end);
                pieces.push(piece.clone());
                piece.end.next_multiple_of(GRAIN)
            }
            None => next + GRAIN,
        };
    }
    pieces
}

/// Copies what differs to an address of the device.
fn write<D: Device>(
    device: &D,
    address: usize,
    old: &[u8],
    new: &mut [u8],
) -> Result<(), Failure<D::Error>> {
    let changes: Vec<Range<usize>> = difference::of(old, new).take(MOST_CHANGES + 1).collect();
    if changes.len() <= MOST_CHANGES {
        let pieces: Vec<(usize, &[u8])> =
            changes.into_iter().map(|range| (address + range.start, &new[range])).collect();
        return device.write(&pieces).map_err(Failure::Device);
    }
    // What others have changed there meanwhile stays: it is fetched, and all is copied at once.
    let mut all = Pages::new(new.len()).ok_or(Failure::OutOfMemory)?;
    let all = &mut all.bytes()[..new.len()];
    device.read(address, all).map_err(Failure::Device)?;
    difference::of(old, new).for_each(|range| all[range.clone()].copy_from_slice(&new[range]));
    device.write(&[(address, all)]).map_err(Failure::Device)
}

/// Moves what is mapped to addresses to others. None if there is no address space.
fn set_aside(addresses: Range<usize>, aside: &mut Vec<(usize, Pages)>) -> Option<()> {
    let is_mapped = is_mapped(addresses.clone());
    if is_mapped && let Some(pages) = Pages::take(addresses.clone()) {
        aside.push((addresses.start, pages));
        return Some(());
    }
    // Either there are holes, or several mappings, which do not move together everywhere.
    if addresses.len() > PAGE {
        let middle = addresses.start + (addresses.len() / 2).next_multiple_of(PAGE);
        set_aside(addresses.start..middle, aside)?;
        return set_aside(middle..addresses.end, aside);
    }
    (!is_mapped).then_some(())
}

/// Whether something is mapped to each of these pages.
fn is_mapped(pages: Range<usize>) -> bool {
    // SAFETY: nothing happens: what is asked for comes by itself.
    unsafe { libc::msync(pages.start as *mut libc::c_void, pages.len(), libc::MS_ASYNC) == 0 }
}

fn unmap(addresses: Range<usize>) {
    // SAFETY: the caller's pages, which nobody uses.
    unsafe { libc::munmap(addresses.start as *mut libc::c_void, addresses.len()) };
}

/// Whole pages of memory, which belong to nobody else.
#[derive(Debug)]
struct Pages {
    start: *mut u8,
    size: usize,
}

impl Pages {
    /// So many bytes, rounded up to whole pages; all are 0.
    fn new(size: usize) -> Option<Pages> {
        Pages::map(size, libc::PROT_READ | libc::PROT_WRITE)
    }

    fn map(size: usize, protection: libc::c_int) -> Option<Pages> {
        let size = size.checked_next_multiple_of(PAGE)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: maps new memory.
        let start = unsafe { libc::mmap(null_mut(), size, protection, flags, -1, 0) };
        (start != libc::MAP_FAILED).then_some(Pages { start: start.cast(), size })
    }

    /// Moves what is mapped to addresses elsewhere. None if that is not one mapping.
    fn take(addresses: Range<usize>) -> Option<Pages> {
        let room = Pages::map(addresses.len(), libc::PROT_NONE)?;
        move_pages(addresses.start, room.start.addr(), addresses.len()).then_some(room)
    }

    /// Moves them to an address, where whatever was there goes.
    fn place(self, address: usize) -> Option<()> {
        if !move_pages(self.start.addr(), address, self.size) {
            return None;
        }
        std::mem::forget(self);
        Some(())
    }

    /// The bytes of pages that can be accessed.
    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: they are this one's alone.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.size) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        unmap(self.start.addr()..self.start.addr() + self.size);
    }
}

/// Moves a mapping. Whether that could be done.
fn move_pages(from: usize, to: usize, size: usize) -> bool {
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    let (from, to) = (from as *mut libc::c_void, to as *mut libc::c_void);
    // SAFETY: the callers' pages, or those of a device, which come back.
    unsafe { libc::mremap(from, size, size, flags, to) != libc::MAP_FAILED }
}
