//! Stacks of kernels.
//!
//! The system hands a fault to handlers on the stack where it happened. One that has no room left gets some for that: the
//! guard below it, which the system opens when it is touched (`STATUS_STACK_OVERFLOW`), as the fields of the thread's
//! environment block tell it. [`close`] closes the guard again.

use std::ptr::from_mut;

use corosensei::stack::StackTebFields;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, PAGE_GUARD, PAGE_READWRITE, VirtualAlloc, VirtualProtect,
};

use super::memory;

/// Bytes below each stack: those that kernels do not touch when they enter a frame (`STACK_GUARD` of
/// `spmd/src/compile.rs`), and room for the handlers of a fault.
pub const GUARD: usize = 96 << 10;
/// Addresses to reserve for all stacks.
pub const RESERVE: usize = 16 << 30;

/// The system never opens the last page.
const LAST: usize = 4 << 10;

/// Makes a stack of `size` bytes above a guard, which begins at `start`, in reserved addresses.
pub fn make(start: usize, size: usize) -> bool {
    let (guard, access) = ((start + LAST) as *const _, PAGE_READWRITE | PAGE_GUARD);
    // SAFETY: reserved addresses of the caller's.
    let is_guarded = unsafe { !VirtualAlloc(guard, GUARD - LAST, MEM_COMMIT, access).is_null() };
    is_guarded && memory::commit(start + GUARD, size)
}

/// Closes the guard that begins at `start`, after a stack has overflowed that is not in use any more.
pub fn close(start: usize) {
    let (guard, access) = ((start + LAST) as *const _, PAGE_READWRITE | PAGE_GUARD);
    // SAFETY: a guard that `make` has made.
    unsafe { VirtualProtect(guard, GUARD - LAST, access, from_mut(&mut 0)) };
}

/// What the system has to know of a stack that `make` has made.
pub fn teb_fields(start: usize, size: usize) -> StackTebFields {
    StackTebFields {
        StackBase: start + GUARD + size,
        StackLimit: start + GUARD,
        DeallocationStack: start,
        GuaranteedStackBytes: GUARD - LAST,
    }
}
