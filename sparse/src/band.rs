//! Systems of equations with a few diagonals.

use crate::number::{Type, with_scalar};
use crate::place::{Address, Dense};
use crate::room::{filled, touch};
use dense::{Real, Scalar};

/// A banded matrix: its diagonals from the lowest one, as vectors of as many elements as there are rows. Those that are out
/// of the matrix are not read.
#[derive(Clone, Copy, Debug)]
pub struct Band<'a> {
    pub diagonals: &'a [Address],
    /// How many of them lie below the main one.
    pub below: usize,
    /// Where a diagonal's elements begin, and how far it is from each to the next.
    pub first: usize,
    pub step: usize,
    pub ty: Type,
    /// Rows are exchanged, so that no pivot is too small.
    pub pivot: bool,
}

impl Band<'_> {
    /// Solves for columns of a right side, which the solutions take the place of.
    ///
    /// # Safety
    /// All is memory of the types and sizes that it tells.
    pub unsafe fn solve(&self, right: &Dense, columns: std::ops::Range<usize>) {
        with_scalar!(self.ty, S => {
            // SAFETY: the caller says so.
            unsafe { self.solve_as::<S>(right, columns) }
        });
    }

    unsafe fn solve_as<S: Scalar>(&self, right: &Dense, columns: std::ops::Range<usize>) {
        let (n, count) = (right.rows, columns.len());
        let below = self.below;
        let above = self.diagonals.len() - 1 - below;
        // Exchanged rows reach as much further as there are diagonals below.
        let width = 2 * below + above + 1;
        if n == 0 {
            return;
        }
        for diagonal in self.diagonals {
            // SAFETY: the caller says so.
            unsafe { touch(diagonal.at::<S>(self.first + (n - 1) * self.step).cast()) };
        }
        let mut rows = filled(S::ZERO, n * width);
        let mut sides = filled(S::ZERO, n * count);
        for i in 0..n {
            for (d, diagonal) in self.diagonals.iter().enumerate() {
                if i + d >= below && i + d - below < n {
                    // SAFETY: the caller says so.
                    rows[i * width + d] = unsafe { diagonal.get::<S>(self.first + i * self.step) };
                }
            }
            for (at, j) in columns.clone().enumerate() {
                // SAFETY: the caller says so.
                sides[i * count + at] = unsafe { right.get::<S>(i, j) };
            }
        }
        let at = |i: usize, j: usize| i * width + (j + below - i);
        let size = |value: S| value.size().to_f64();
        for k in 0..n {
            let last = (k + below).min(n - 1);
            let end = (k + below + above).min(n - 1);
            if self.pivot {
                let mut best = k;
                for i in k + 1..=last {
                    if size(rows[at(i, k)]) > size(rows[at(best, k)]) {
                        best = i;
                    }
                }
                if best != k {
                    (k..=end).for_each(|j| rows.swap(at(k, j), at(best, j)));
                    (0..count).for_each(|j| sides.swap(k * count + j, best * count + j));
                }
            }
            for i in k + 1..=last {
                let factor = rows[at(i, k)] / rows[at(k, k)];
                for j in k + 1..=end {
                    let change = factor * rows[at(k, j)];
                    rows[at(i, j)] -= change;
                }
                for j in 0..count {
                    let change = factor * sides[k * count + j];
                    sides[i * count + j] -= change;
                }
            }
        }
        for i in (0..n).rev() {
            for (c, j) in columns.clone().enumerate() {
                let mut sum = sides[i * count + c];
                for k in i + 1..=(i + below + above).min(n - 1) {
                    sum -= rows[at(i, k)] * sides[k * count + c];
                }
                let value = sum / rows[at(i, i)];
                sides[i * count + c] = value;
                // SAFETY: the caller says so.
                unsafe { right.set(i, j, value) };
            }
        }
    }
}
