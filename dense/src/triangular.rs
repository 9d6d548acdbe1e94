//! Systems of equations with triangular matrices and many right sides.

use crate::packed;
use crate::product::{Product, Tile, scale};
use crate::{Matrix, Scalar};

/// Equations that are solved one by one; products do the rest.
const BLOCK: usize = 64;

/// Solves `A X = alpha B` for a triangular matrix of `n` rows and `columns` right sides; X is B before. `upper` says which
/// triangle of A is not zero, as A is given (that is, transposed already).
///
/// # Safety
/// A is memory that may be read, B memory that nobody else has.
pub unsafe fn solve<T: Scalar>(
    a: Matrix<T>,
    upper: bool,
    unit: bool,
    n: usize,
    b: Matrix<T>,
    columns: usize,
    alpha: T,
) {
    // SAFETY: the caller says so.
    unsafe {
        scale(b, n, columns, alpha);
        if alpha == T::ZERO {
            return;
        }
        let blocks = n.div_ceil(BLOCK);
        for step in 0..blocks {
            let block = if upper { blocks - 1 - step } else { step };
            let (from, to) = (block * BLOCK, n.min((block + 1) * BLOCK));
            one_by_one(a.at(from, from), upper, unit, to - from, b.at(from, 0), columns);
            let (rest, rows) = if upper { (0, from) } else { (to, n - to) };
            let update = Product {
                a: a.at(rest, from),
                b: b.at(from, 0),
                c: b.at(rest, 0),
                depth: to - from,
                alpha: -T::ONE,
                beta: T::ONE,
            };
            update.run(Tile { row: 0, column: 0, rows, columns });
        }
    }
}

unsafe fn one_by_one<T: Scalar>(
    a: Matrix<T>,
    upper: bool,
    unit: bool,
    n: usize,
    b: Matrix<T>,
    columns: usize,
) {
    for j in 0..columns {
        for step in 0..n {
            let i = if upper { n - 1 - step } else { step };
            // SAFETY: the caller says so.
            unsafe {
                let mut value = b.get(i, j);
                if !unit {
                    value = value / a.get(i, i);
                    b.set(i, j, value);
                }
                let others = if upper { 0..i } else { i + 1..n };
                for other in others {
                    b.set(other, j, b.get(other, j) - a.get(other, i) * value);
                }
            }
        }
    }
}

/// `C = alpha A B` for a triangular matrix A of `n` rows, which is read by `get`, and `columns` columns; C may be B.
///
/// # Safety
/// B is memory that may be read, C memory that nobody else has.
pub unsafe fn multiply<T: Scalar>(
    get: impl Fn(usize, usize) -> T,
    n: usize,
    b: Matrix<T>,
    c: Matrix<T>,
    columns: usize,
    alpha: T,
) {
    packed::multiply(
        (n, n, columns),
        |k, count, panel| {
            for (column, panel) in panel.chunks_exact_mut(n).take(count).enumerate() {
                for (i, place) in panel.iter_mut().enumerate() {
                    *place = get(i, k + column);
                }
            }
        },
        |k, count, panel| {
            for (j, panel) in panel.chunks_exact_mut(count).enumerate() {
                for (row, place) in panel.iter_mut().enumerate() {
                    // SAFETY: the caller says so.
                    *place = unsafe { b.get(k + row, j) };
                }
            }
        },
        |product| {
            for (j, column) in product.chunks_exact(n).enumerate() {
                for (i, value) in column.iter().enumerate() {
                    // SAFETY: the caller says so.
                    unsafe { c.set(i, j, alpha * *value) };
                }
            }
        },
    );
}
