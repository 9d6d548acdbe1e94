//! `wgmma.mma_async`: the 16 rows of one warp of a group of four.
//!
//! The factors lie in shared memory where [descriptors](super::descriptor) say, or `a` in registers.

use std::cell::Cell;
use std::ops::Range;

use cpu_abi::{BlockContext, MatrixOperation, MatrixType};

use super::descriptor::Factor;
use super::multiply::{Product, has_wide_vectors, meetings};
use super::sum::COLUMNS;
use super::vectored::{Plan, Register};
use super::{Row, fragment};

/// Performs the operation for a warp. `rows` holds its fragments on entry, those of `d` at its beginning on return.
pub fn multiply(block: &BlockContext, warp: u32, operation: &MatrixOperation, rows: &mut [Row]) {
    let tiles = 0..usize::from(operation.n) / COLUMNS;
    match Plan::of(operation) {
        Some(plan) => {
            let product = Vectored::new(block, warp, operation, plan, rows);
            for tile in tiles {
                if !product.multiply(tile, rows) {
                    in_general(block, warp, operation, rows, tile..tile + 1);
                }
            }
        }
        None => in_general(block, warp, operation, rows, tiles),
    }
    let words = operation.words();
    let first = (words.a + words.b) as usize;
    rows.copy_within(first..first + words.c as usize, 0);
}

/// A product in vectors.
struct Vectored<'b> {
    plan: Plan,
    a: [Register; 4],
    b: Factor<'b>,
    /// Bytes of an element.
    bytes: usize,
    /// The signs that change in words of `b`.
    signs: u32,
    accumulates: bool,
    /// Where the accumulators begin, and registers of a tile.
    first: usize,
    per_tile: usize,
}

impl<'b> Vectored<'b> {
    fn new(
        block: &'b BlockContext,
        warp: u32,
        operation: &MatrixOperation,
        plan: Plan,
        rows: &[Row],
    ) -> Self {
        let words = operation.words();
        let a_words = words.a as usize;
        let bytes = operation.a.bits() as usize / 8;
        let signs = |negated| match (negated, bytes) {
            (false, _) => 0,
            (true, 1) => 0x8080_8080,
            (true, 2) => 0x8000_8000,
            (true, _) => 0x8000_0000,
        };
        let mut a = [[0; 32]; 4];
        if operation.a_in_registers {
            a.copy_from_slice(&rows[..4]);
        } else {
            let factor = Factor::new(block, descriptor(rows), operation.a_columns);
            for half in 0..2 {
                let line = 16 * (warp as usize % 4) + 8 * half;
                let [low, high] = factor.registers(line, bytes);
                (a[half], a[2 + half]) = (low, high);
            }
        }
        negate(&mut a, signs(operation.negate_a));
        Self {
            plan,
            a: a.map(Cell::new),
            b: Factor::new(block, descriptor(&rows[a_words..]), operation.b_rows),
            bytes,
            signs: signs(operation.negate_b),
            accumulates: rows[words.inputs() as usize - 1][0] != 0,
            first: (words.a + words.b) as usize,
            per_tile: operation.c.bits() as usize * 4 / 32,
        }
    }

    /// Eight columns, whose results take the places of their accumulators. False, with these as they were, where that is
    /// left to the general way.
    fn multiply(&self, tile: usize, rows: &mut [Row]) -> bool {
        let mut b = self.b.registers(tile * COLUMNS, self.bytes);
        negate(&mut b, self.signs);
        let b = b.map(Cell::new);
        let zeros = Cell::new([0; 32]);
        let first = self.first + tile * self.per_tile;
        let sums = Cell::from_mut(&mut rows[first..first + self.per_tile]).as_slice_of_cells();
        self.plan.multiply(|index| match index {
            0..4 => &self.a[index],
            4..6 => &b[index - 4],
            _ => match (index - 6).checked_sub(sums.len()) {
                Some(d) => &sums[d],
                None if self.accumulates => &sums[index - 6],
                None => &zeros,
            },
        })
    }
}

fn negate(rows: &mut [Row], signs: u32) {
    if signs != 0 {
        rows.as_flattened_mut().iter_mut().for_each(|word| *word ^= signs);
    }
}

/// The descriptor at the beginning of rows.
fn descriptor(rows: &[Row]) -> u64 {
    u64::from(rows[0][0]) | u64::from(rows[1][0]) << 32
}

/// Some tiles of eight columns, whose results take the places of their accumulators.
fn in_general(
    block: &BlockContext,
    warp: u32,
    operation: &MatrixOperation,
    rows: &mut [Row],
    tiles: Range<usize>,
) {
    let bits = if operation.a == MatrixType::B1 { 32 } else { operation.a.bits() as usize };
    // The k of an instruction fills 32 bytes, a sparse `b` twice as many.
    match (bits, operation.sparse) {
        (32, false) => fast::<8, 8>(block, warp, operation, rows, tiles),
        (16, false) => fast::<16, 16>(block, warp, operation, rows, tiles),
        (8, false) => fast::<32, 32>(block, warp, operation, rows, tiles),
        (32, true) => fast::<8, 16>(block, warp, operation, rows, tiles),
        (16, true) => fast::<16, 32>(block, warp, operation, rows, tiles),
        (8, true) => fast::<32, 64>(block, warp, operation, rows, tiles),
        _ => {}
    }
}

fn fast<const K: usize, const D: usize>(
    block: &BlockContext,
    warp: u32,
    operation: &MatrixOperation,
    rows: &mut [Row],
    tiles: Range<usize>,
) {
    #[target_feature(enable = "avx2,fma,bmi2")]
    fn wide<const K: usize, const D: usize>(
        block: &BlockContext,
        warp: u32,
        operation: &MatrixOperation,
        rows: &mut [Row],
        tiles: Range<usize>,
    ) {
        sized::<K, D>(block, warp, operation, rows, tiles);
    }
    if has_wide_vectors() {
        // SAFETY: the processor has these features.
        unsafe { wide::<K, D>(block, warp, operation, rows, tiles) };
    } else {
        sized::<K, D>(block, warp, operation, rows, tiles);
    }
}

#[inline(always)]
fn sized<const K: usize, const D: usize>(
    block: &BlockContext,
    warp: u32,
    operation: &MatrixOperation,
    rows: &mut [Row],
    tiles: Range<usize>,
) {
    let words = operation.words();
    let (a_words, b_words, c_words) = (words.a as usize, words.b as usize, words.c as usize);
    // Bytes of an element; single bits come 32 at a time.
    let bits = if operation.a == MatrixType::B1 { 32 } else { operation.a.bits() as usize };
    let bytes = bits / 8;

    let mut a = [[0; K]; 16];
    if operation.a_in_registers {
        for (i, row) in a.iter_mut().enumerate() {
            for (k, code) in row.iter_mut().enumerate() {
                let (lane, index) = fragment::of_a(i, k, 32 / bits, 16);
                *code = fragment::element(&rows[..a_words], bits, lane, index);
            }
        }
    } else {
        let factor = Factor::new(block, descriptor(rows), operation.a_columns);
        for (i, row) in a.iter_mut().enumerate() {
            let line = 16 * (warp as usize % 4) + i;
            for (k, code) in row.iter_mut().enumerate() {
                *code = factor.element(line, k, bytes);
            }
        }
    }
    let sign = if bits == 8 { 0x80 } else { 1 << (bits - 1) };
    if operation.negate_a {
        a.iter_mut().flatten().for_each(|code| *code ^= sign);
    }
    let more = a_words + b_words + c_words;
    let meets = meetings::<K>(operation, &rows[more..]);
    let accumulates = rows[words.inputs() as usize - 1][0] != 0;
    let b_factor = Factor::new(block, descriptor(&rows[a_words..]), operation.b_rows);
    let c_bits = operation.c.bits() as usize;
    let per_tile = c_bits * 4 / 32;
    for tile in tiles {
        let mut b = [[0; COLUMNS]; D];
        for (k, row) in b.iter_mut().enumerate() {
            for (j, code) in row.iter_mut().enumerate() {
                *code = b_factor.element(tile * COLUMNS + j, k, bytes);
                if operation.negate_b {
                    *code ^= sign;
                }
            }
        }
        let product = Product::new(operation, &b);
        let first = a_words + b_words + tile * per_tile;
        let mut d = [[0; 32]; 4];
        for i in 0..16 {
            let c = std::array::from_fn(|j| {
                let (lane, index) = fragment::of_c(i, j);
                if accumulates { fragment::element(&rows[first..], c_bits, lane, index) } else { 0 }
            });
            for (j, value) in product.row(i, &a[i], &meets[i], c, &[]).into_iter().enumerate() {
                let (lane, index) = fragment::of_c(i, j);
                fragment::put(&mut d, c_bits, lane, index, value);
            }
        }
        rows[first..first + per_tile].copy_from_slice(&d[..per_tile]);
    }
}
