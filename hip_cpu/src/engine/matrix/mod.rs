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

/// Rows of the products that programs use most.
const FEW: usize = 12;

/// [`cpu_abi::Runtime::matrix`]
pub unsafe extern "C" fn matrix(
    block: *const BlockContext,
    warp: u32,
    mask: u32,
    operation: u64,
    rows: *mut Row,
    places: *const u16,
) {
    let Some(what) = MatrixOperation::unpack(operation) else { return };
    let words = what.words();
    let (inputs, outputs) = (words.inputs() as usize, words.d as usize);
    // SAFETY: a kernel names a place for each input and each output.
    let places = unsafe { std::slice::from_raw_parts(places, inputs + outputs) };
    let (inputs, outputs) = places.split_at(inputs);
    // SAFETY: a kernel passes the context that it was called with.
    let parted = unsafe { Block::of(block) };
    if groups::has_parted(parted) {
        // SAFETY: as the kernel says.
        return unsafe { groups::matrix(parted, mask, operation, rows, [inputs, outputs]) };
    }
    let (mut few, mut many);
    let count = rows_of(&what);
    let words: &mut [Row] = if count <= FEW {
        few = [[0; WARP_SIZE as usize]; FEW];
        &mut few[..count]
    } else {
        many = vec![[0; WARP_SIZE as usize]; count];
        &mut many
    };
    for (word, &place) in words.iter_mut().zip(inputs) {
        // SAFETY: places name rows of the kernel.
        *word = unsafe { rows.add(place.into()).read() };
    }
    // SAFETY: addresses are the program's own.
    unsafe { perform(&*block, warp, mask, &what, words) };
    for (word, &place) in words.iter().zip(outputs) {
        // SAFETY: as above.
        unsafe { rows.add(place.into()).write(*word) };
    }
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
