//! Stacks of kernels.

use super::memory;

/// Inaccessible bytes below each stack. Kernels touch larger frames when they enter them (`STACK_GUARD` of
/// `spmd/src/compile.rs`), so that none reaches over it.
pub const GUARD: usize = 64 << 10;
/// Addresses to reserve for all stacks.
pub const RESERVE: usize = 256 << 30;

/// Makes a stack of `size` bytes above a guard, which begins at `start`, in reserved addresses.
pub fn make(start: usize, size: usize) -> bool {
    memory::commit(start + GUARD, size)
}
