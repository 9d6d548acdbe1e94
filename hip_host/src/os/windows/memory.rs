//! Addresses by `VirtualAlloc`. Sizes are whole pages; reservations begin at multiples of 64 KiB.

use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_NOACCESS, PAGE_READONLY, PAGE_READWRITE,
    VirtualAlloc, VirtualFree, VirtualProtect,
};

use super::backing_file::Piece;

/// Bits of an access.
pub const NONE: i32 = 0;
pub const READ: i32 = 1;
pub const WRITE: i32 = 2;

/// Where reservations begin.
const UNIT: usize = 64 << 10;
/// Others may take what was free a moment ago.
const TRIES: usize = 64;

fn reserved(address: usize, size: usize) -> Option<usize> {
    // SAFETY: takes the place of nothing.
    let start = unsafe { VirtualAlloc(address as *const _, size, MEM_RESERVE, PAGE_NOACCESS) };
    (!start.is_null()).then_some(start as usize)
}

/// Address space for `size` bytes, which cannot be accessed.
pub fn reserve(size: usize) -> Option<usize> {
    reserved(0, size)
}

/// The same at a multiple of `align`, whole pages.
pub fn reserve_aligned(size: usize, align: usize) -> Option<usize> {
    if align <= UNIT {
        return reserve(size);
    }
    let whole = size.checked_add(align)?;
    // A part of a reservation cannot be given back: a free place is looked for, and taken then.
    (0..TRIES).find_map(|_| {
        let start = reserve(whole)?;
        release(start, whole);
        reserve_at(start.next_multiple_of(align), size)
    })
}

/// The same at this address, if nothing is there.
pub fn reserve_at(address: usize, size: usize) -> Option<usize> {
    let start = reserved(address, size)?;
    if start != address {
        release(start, size);
        return None;
    }
    Some(start)
}

/// The same below 4 GiB.
pub fn reserve_low(size: usize) -> Option<usize> {
    // Programs lie low.
    (0x1000_0000..0xf000_0000usize).step_by(1 << 20).find_map(|address| reserve_at(address, size))
}

/// Makes reserved bytes memory, all 0.
///
/// They are the caller's.
pub fn commit(start: usize, size: usize) -> bool {
    // SAFETY: the caller's own.
    let start = unsafe { VirtualAlloc(start as *const _, size, MEM_COMMIT, PAGE_READWRITE) };
    !start.is_null()
}

/// Large pages need a privilege here.
pub fn prefer_large_pages(_start: usize, _size: usize) {}

/// Gives a whole reservation back, which nobody uses any more.
pub fn release(start: usize, _size: usize) {
    // SAFETY: the caller's own, and nobody uses it.
    unsafe { VirtualFree(start as *mut _, 0, MEM_RELEASE) };
}

/// Sets how memory of a reservation can be accessed.
pub fn protect(start: usize, size: usize, access: i32) -> bool {
    let access = match access {
        NONE => PAGE_NOACCESS,
        READ => PAGE_READONLY,
        _ => PAGE_READWRITE,
    };
    let mut before = 0;
    // SAFETY: the caller's own.
    unsafe { VirtualProtect(start as *const _, size, access, &mut before) != 0 }
}

/// There are no files.
pub fn map_file(_start: usize, _size: usize, _access: i32, piece: &Piece, _offset: usize) -> bool {
    piece.never()
}

/// Nothing but address space lies in a reservation of the program's.
pub fn unmap_file(_start: usize, _size: usize) -> bool {
    true
}
