//! Decompositions into a lower and an upper triangular matrix.

use crate::product::{Product, Tile};
use crate::scalar::Real;
use crate::{Matrix, Scalar, triangular};

/// Columns that are decomposed one by one; products do the rest.
const BLOCK: usize = 32;

/// Decomposes a matrix in place, with rows exchanged where there is a place for `pivots` (from 1, as LAPACK has
/// them). The number, from 1, of the first pivot that is zero or no number, else 0.
///
/// # Safety
/// A is memory that nobody else has; `pivots` is null or has a place for each of the fewer of rows and columns.
pub unsafe fn decompose<T: Scalar>(
    a: Matrix<T>,
    (rows, columns): (usize, usize),
    pivots: *mut i32,
) -> i32 {
    let mut info = 0;
    let count = rows.min(columns);
    for from in (0..count).step_by(BLOCK) {
        let to = count.min(from + BLOCK);
        // SAFETY: the caller says so.
        unsafe {
            for j in from..to {
                if !pivots.is_null() {
                    let size = |i: usize| a.get(i, j).size();
                    let mut pivot = j;
                    for i in j + 1..rows {
                        if size(i) > size(pivot) {
                            pivot = i;
                        }
                    }
                    pivots.add(j).write_unaligned(pivot as i32 + 1);
                    swap_rows(a, j, pivot, columns);
                }
                let pivot = a.get(j, j);
                let is_zero = pivot == T::ZERO;
                if is_zero || pivot.size().to_f64().is_nan() {
                    info = if info == 0 { j as i32 + 1 } else { info };
                }
                if is_zero {
                    continue;
                }
                for i in j + 1..rows {
                    a.set(i, j, a.get(i, j) / pivot);
                }
                for k in j + 1..to {
                    let factor = a.get(j, k);
                    for i in j + 1..rows {
                        a.set(i, k, a.get(i, k) - a.get(i, j) * factor);
                    }
                }
            }
            let rest = columns - to;
            triangular::solve(
                a.at(from, from),
                false,
                true,
                to - from,
                a.at(from, to),
                rest,
                T::ONE,
            );
            let update = Product {
                a: a.at(to, from),
                b: a.at(from, to),
                c: a.at(to, to),
                depth: to - from,
                alpha: -T::ONE,
                beta: T::ONE,
            };
            update.run(Tile { row: 0, column: 0, rows: rows - to, columns: rest });
        }
    }
    info
}

/// Exchanges two rows.
///
/// # Safety
/// A is memory that nobody else has.
pub unsafe fn swap_rows<T: Scalar>(a: Matrix<T>, i: usize, other: usize, columns: usize) {
    if i == other {
        return;
    }
    for j in 0..columns {
        // SAFETY: the caller says so.
        unsafe {
            let kept = a.get(i, j);
            a.set(i, j, a.get(other, j));
            a.set(other, j, kept);
        }
    }
}

/// Solves `op(A) X = B` by a decomposition of A; X is B before.
///
/// # Safety
/// The matrices are memory as large as that, B such as nobody else has; `pivots` is null or as long as A has rows.
pub unsafe fn solve<T: Scalar>(
    a: Matrix<T>,
    turned: crate::banded::Turned,
    n: usize,
    pivots: *const i32,
    b: Matrix<T>,
    columns: usize,
) {
    // SAFETY: the caller says so.
    unsafe {
        let exchange = |i: usize| {
            if !pivots.is_null() {
                let other = pivots.add(i).read_unaligned() as usize;
                swap_rows(b, i, other.saturating_sub(1).min(n - 1), columns);
            }
        };
        if turned.transposed {
            let mut t = a.transposed();
            t.conj ^= turned.conj;
            triangular::solve(t, false, false, n, b, columns, T::ONE);
            triangular::solve(t, true, true, n, b, columns, T::ONE);
            (0..n).rev().for_each(exchange);
        } else {
            (0..n).for_each(exchange);
            triangular::solve(a, false, true, n, b, columns, T::ONE);
            triangular::solve(a, true, false, n, b, columns, T::ONE);
        }
    }
}

/// Puts the identity into a matrix.
///
/// # Safety
/// It is memory that nobody else has.
pub unsafe fn identity<T: Scalar>(c: Matrix<T>, n: usize) {
    for j in 0..n {
        for i in 0..n {
            // SAFETY: the caller says so.
            unsafe { c.set(i, j, if i == j { T::ONE } else { T::ZERO }) };
        }
    }
}

/// The number, from 1, of the first zero on the diagonal, else 0.
///
/// # Safety
/// A is memory that may be read.
pub unsafe fn singular<T: Scalar>(a: Matrix<T>, n: usize) -> i32 {
    // SAFETY: the caller says so.
    (0..n).find(|i| unsafe { a.get(*i, *i) } == T::ZERO).map_or(0, |i| i as i32 + 1)
}
