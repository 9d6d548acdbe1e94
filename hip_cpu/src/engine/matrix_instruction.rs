//! Matrix instructions of vector code: its rows of words for [`matrix`](super::matrix), or for the groups of a warp that
//! has parted.

use cpu_abi::{BlockContext, MatrixOperation, WARP_SIZE};

use super::block::Block;
use super::groups;
use super::matrix::vectored::Plan;
use super::matrix::{Row, perform, rows_of};
use super::runtime::DefaultState;

/// Rows of the products that programs use most.
const FEW: usize = 12;

/// [`cpu_abi::Runtime::matrix`]
pub unsafe extern "sysv64" fn matrix(
    block: *const BlockContext,
    warp: u32,
    mask: u32,
    operation: u64,
    rows: *mut Row,
    places: *const u16,
) {
    let _default = DefaultState::begin();
    // SAFETY: a kernel passes the context that it was called with.
    let parted = unsafe { Block::of(block) };
    if !groups::has_parted(parted)
        && let Some(plan) = Plan::of_number(operation)
    {
        // SAFETY: a kernel names a row for each input and each output, which nobody else looks at.
        let register = |index| unsafe { &*rows.add((*places.add(index)).into()).cast() };
        if plan.multiply(register) {
            return;
        }
    }
    let Some(what) = MatrixOperation::unpack(operation) else { return };
    let words = what.words();
    let (inputs, outputs) = (words.inputs() as usize, words.d as usize);
    // SAFETY: a kernel names a place for each input and each output.
    let places = unsafe { std::slice::from_raw_parts(places, inputs + outputs) };
    let (inputs, outputs) = places.split_at(inputs);
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
