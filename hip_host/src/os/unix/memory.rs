//! Addresses by `mmap`. Sizes and addresses are whole pages.

use super::backing_file::Piece;

/// Bits of an access.
pub const NONE: i32 = libc::PROT_NONE;
pub const READ: i32 = libc::PROT_READ;
pub const WRITE: i32 = libc::PROT_WRITE;

/// Address space that nobody can access, for more than there is memory.
const RESERVED: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;

fn mapped(address: usize, size: usize, flags: i32) -> Option<usize> {
    // SAFETY: a fresh private mapping, which takes the place of nothing.
    let start = unsafe { libc::mmap(address as *mut _, size, NONE, flags, -1, 0) };
    (start != libc::MAP_FAILED).then_some(start as usize)
}

/// Address space for `size` bytes, which cannot be accessed.
pub fn reserve(size: usize) -> Option<usize> {
    mapped(0, size, RESERVED)
}

/// The same at a multiple of `align`, whole pages.
pub fn reserve_aligned(size: usize, align: usize) -> Option<usize> {
    let whole = size.checked_add(align)?;
    let start = reserve(whole)?;
    let first = start.next_multiple_of(align);
    // What lies before and behind the range within the mapping just made.
    if first != start {
        release(start, first - start);
    }
    release(first + size, start + whole - first - size);
    Some(first)
}

/// The same at this address, if nothing is there.
pub fn reserve_at(address: usize, size: usize) -> Option<usize> {
    let start = mapped(address, size, RESERVED | libc::MAP_FIXED_NOREPLACE)?;
    if start != address {
        // Old systems take it for a hint.
        release(start, size);
        return None;
    }
    Some(start)
}

/// The same below 4 GiB.
pub fn reserve_low(size: usize) -> Option<usize> {
    mapped(0, size, RESERVED | libc::MAP_32BIT).or_else(|| {
        // MAP_32BIT looks only below 2 GiB.
        (0x8000_0000..0xf000_0000usize)
            .step_by(1 << 20)
            .find_map(|address| mapped(address, size, RESERVED | libc::MAP_FIXED_NOREPLACE))
    })
}

/// Makes reserved bytes memory, all 0.
///
/// They are the caller's.
pub fn commit(start: usize, size: usize) -> bool {
    protect(start, size, READ | WRITE)
}

/// A hint that large pages are worth having here.
pub fn prefer_large_pages(start: usize, size: usize) {
    // SAFETY: changes no contents.
    unsafe { libc::madvise(start as *mut _, size, libc::MADV_HUGEPAGE) };
}

/// Gives a whole reservation back, which nobody uses any more.
pub fn release(start: usize, size: usize) {
    // SAFETY: the caller's own, and nobody uses it.
    unsafe { libc::munmap(start as *mut _, size) };
}

/// Sets how bytes of a reservation can be accessed.
pub fn protect(start: usize, size: usize, access: i32) -> bool {
    // SAFETY: the caller's own.
    unsafe { libc::mprotect(start as *mut _, size, access) == 0 }
}

/// Puts a part of a file in the place of a part of a reservation.
pub fn map_file(start: usize, size: usize, access: i32, piece: &Piece, offset: usize) -> bool {
    let flags = libc::MAP_SHARED | libc::MAP_FIXED;
    let offset = (piece.offset + offset) as i64;
    // SAFETY: takes the place of what is the caller's own.
    let mapped = unsafe { libc::mmap(start as *mut _, size, access, flags, piece.fd(), offset) };
    if mapped == libc::MAP_FAILED {
        return false;
    }
    prefer_large_pages(start, size);
    true
}

/// Makes a part of a reservation, in which files may lie, address space again.
pub fn unmap_file(start: usize, size: usize) -> bool {
    // SAFETY: takes the place of what is the caller's own.
    let flags = RESERVED | libc::MAP_FIXED;
    // SAFETY: the caller's range, which becomes a reservation.
    let reserved = unsafe { libc::mmap(start as *mut _, size, NONE, flags, -1, 0) };
    reserved != libc::MAP_FAILED
}
