//! Matrix operations of a warp, on rows of 32 words: one row for each register of a fragment.
//!
//! [`matrix`] is where vector code comes in; the reference executor gathers the words of its threads and
//! calls [`perform`]. So both have the same arithmetic.

mod double;
mod format;
mod fragment;
mod integer;
mod multiply;
mod quad_pairs;
mod scaled;
mod sparse;
mod sum;
mod tile;
mod warp_group;

use cpu_abi::{BlockContext, MatrixKind, MatrixOperation, WARP_SIZE};

use super::block::Block;
use super::groups;

/// The words of one register, a lane each.
pub type Row = [u32; WARP_SIZE as usize];

/// [`cpu_abi::Runtime::matrix`]
pub unsafe extern "C" fn matrix(
    block: *const BlockContext,
    warp: u32,
    mask: u32,
    operation: u64,
    rows: *mut Row,
) {
    // SAFETY: a kernel passes the context that it was called with.
    let parted = unsafe { Block::of(block) };
    if groups::has_parted(parted) {
        // SAFETY: as the kernel says.
        return unsafe { groups::matrix(parted, mask, operation, rows) };
    }
    let Some(operation) = MatrixOperation::unpack(operation) else { return };
    // SAFETY: a kernel has room for all inputs and all outputs of the operation.
    let rows = unsafe { std::slice::from_raw_parts_mut(rows, rows_of(&operation)) };
    // SAFETY: addresses are the program's own.
    unsafe { perform(&*block, warp, mask, &operation, rows) };
}

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
