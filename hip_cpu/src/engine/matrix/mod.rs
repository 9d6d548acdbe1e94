//! Matrix operations of a warp, on rows of 32 words: one row for each register of a fragment.
//!
//! [`matrix_instruction`](super::matrix_instruction) is where vector code comes in; the reference executor gathers the
//! words of its threads. Both call [`perform`], and so have the same arithmetic.

mod descriptor;
mod doubles;
mod format;
mod fragment;
mod integer;
mod multiply;
mod quad_pairs;
mod scaled;
mod sparse;
mod sum;
mod tile;
pub mod vectored;
mod warp_group;

use cpu_abi::{BlockContext, MatrixKind, MatrixOperation, WARP_SIZE};

/// The words of one register, a lane each.
pub type Row = [u32; WARP_SIZE as usize];

/// Rows that an operation reads or writes.
pub fn rows_of(operation: &MatrixOperation) -> usize {
    let words = operation.words();
    words.inputs().max(words.d) as usize
}

/// Replaces the inputs by the outputs.
///
/// # Safety
/// Addresses and descriptors that the lanes of `mask` give are those of memory that the kernel may use.
pub unsafe fn perform(
    block: &BlockContext,
    warp: u32,
    mask: u32,
    operation: &MatrixOperation,
    rows: &mut [Row],
) {
    match operation.kind {
        MatrixKind::Multiply => multiply::multiply(operation, rows),
        MatrixKind::WarpGroup => warp_group::multiply(block, warp, operation, rows),
        // SAFETY: as the caller says.
        MatrixKind::Load => unsafe { tile::load(operation, mask, rows) },
        // SAFETY: as the caller says.
        MatrixKind::Store => unsafe { tile::store(operation, mask, rows) },
        MatrixKind::Transpose => tile::transpose(rows),
    }
}
