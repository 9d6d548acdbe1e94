//! The places of elements in fragments: PTX ISA, "Matrix Fragments for mma.m16n8k16" and its kin.
//!
//! A group is four lanes. Row `i` of `a` and `c`, or column `j` of `b`, belongs to group `i % 8`; the
//! lanes of a group hold pieces of it, in order.

use super::Row;

/// Element `index` of a lane's registers, each `bits` wide.
#[inline(always)]
pub fn element(rows: &[Row], bits: usize, lane: usize, index: usize) -> u32 {
    let at = index * bits;
    let word = rows[at / 32][lane];
    if bits == 32 { word } else { word >> (at % 32) & ((1 << bits) - 1) }
}

/// Lane and index of element (`i`, `k`) of `a` with `height` rows; registers hold `each` elements.
#[inline(always)]
pub fn of_a(i: usize, k: usize, each: usize, height: usize) -> (usize, usize) {
    let (block, within) = (k / (4 * each), k % (4 * each));
    let register = if height == 16 { 2 * block + i / 8 } else { block };
    (i % 8 * 4 + within / each, register * each + within % each)
}

/// Lane and index of element (`k`, `j`) of `b`.
#[inline(always)]
pub fn of_b(k: usize, j: usize, each: usize) -> (usize, usize) {
    of_a(j, k, each, 8)
}

/// Lane and index of element (`i`, `j`) of an accumulator.
#[inline(always)]
pub fn of_c(i: usize, j: usize) -> (usize, usize) {
    (i % 8 * 4 + j % 8 / 2, (i / 8 + j / 8 * 2) * 2 + j % 2)
}

/// Puts an element to its place; the word has to be zero there.
#[inline(always)]
pub fn put(rows: &mut [Row], bits: usize, lane: usize, index: usize, value: u32) {
    let at = index * bits;
    rows[at / 32][lane] |= value << (at % 32);
}
