//! `mma.m8n8k4` of f16: four products, each of eight lanes, `4 p` to `4 p + 3` and those 16 above.
//!
//! Hopper has no tensor cores for it: it is fused operations on f32, a chain where the result is f32 and
//! two pairs where all is f16, to which the accumulator is added at the end.

use cpu_abi::{MatrixOperation, MatrixType};

use super::Row;
use super::format::{narrowed, widened};
use super::fragment::{element, put};
use super::multiply::add_f32;
use crate::engine::fma::fmaf;

/// Performs the operation. `rows` holds the fragments of `a`, `b` and `c`, and those of `d` at its beginning on return.
pub fn multiply(operation: &MatrixOperation, rows: &mut [Row]) {
    let words = operation.words();
    let (a_rows, rest) = rows.split_at(words.a as usize);
    let (b_rows, c_rows) = rest.split_at(words.b as usize);
    let mut d = [[0; 32]; 8];
    for pair in 0..4 {
        // A lane that holds the `within`-th of four rows or columns, of the first or the second four.
        let lane = |within: usize, second: usize| 4 * pair + within + 16 * second;
        let b = |k: usize, j: usize| {
            let (holder, index) =
                if operation.b_rows { (lane(k, j / 4), j % 4) } else { (lane(j % 4, j / 4), k) };
            f32::from_bits(widened(element(b_rows, 16, holder, index)))
        };
        for i in 0..8 {
            let a = |k: usize| {
                let (holder, index) = if operation.a_columns {
                    (lane(k, i / 4), i % 4)
                } else {
                    (lane(i % 4, i / 4), k)
                };
                f32::from_bits(widened(element(a_rows, 16, holder, index)))
            };
            let place = |ty: MatrixType, j: usize| match ty {
                MatrixType::F16 => (lane(i % 4, i / 4), j),
                _ => (lane(i & 1 | j & 2, i / 4), i & 2 | j & 4 | j & 1),
            };
            for j in 0..8 {
                let (holder, index) = place(operation.c, j);
                let c = element(c_rows, operation.c.bits() as usize, holder, index);
                let pair = |k: usize| fmaf(a(k + 1), b(k + 1, j), a(k) * b(k, j));
                let chain = fmaf(a(3), b(3, j), fmaf(a(2), b(2, j), pair(0)));
                let value = match (operation.c, operation.d) {
                    (MatrixType::F16, MatrixType::F16) => {
                        narrowed(add_f32((pair(0) + pair(2)).to_bits(), widened(c)))
                    }
                    (MatrixType::F16, _) => add_f32(chain.to_bits(), widened(c)),
                    (_, MatrixType::F16) => narrowed(add_f32(chain.to_bits(), c)),
                    _ => add_f32(chain.to_bits(), c),
                };
                let (holder, index) = place(operation.d, j);
                put(&mut d, operation.d.bits() as usize, holder, index, value);
            }
        }
    }
    let d_words = words.d as usize;
    rows[..d_words].copy_from_slice(&d[..d_words]);
}
