//! Products of reflectors, as LAPACK's larft and larfb have them: `Q = H1 H2 ... Hk`, each `H = 1 - tau v v'`.

use crate::product::{Product, Tile};
use crate::{Matrix, Scalar};

/// Reflectors whose vectors are columns of a matrix: below its diagonal, which is one and not stored, as is the zero above.
#[derive(Clone, Copy, Debug)]
pub struct Reflectors<'a, T> {
    pub vectors: Matrix<T>,
    /// The rows of Q.
    pub rows: usize,
    /// A factor for each.
    pub tau: &'a [T],
}

/// Which side Q is multiplied on, and whether it is its adjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    pub left: bool,
    pub adjoint: bool,
}

/// Reflectors that are applied together.
const BLOCK: usize = 32;

/// A block of reflectors: `1 - V T V'`.
struct Block<T> {
    v: Vec<T>,
    t: Vec<T>,
    rows: usize,
    count: usize,
}

impl<T: Scalar> Reflectors<'_, T> {
    /// `C = Q C`, or what is asked for, of a C with that many rows and columns.
    ///
    /// # Safety
    /// The vectors are memory that may be read, C memory that nobody else has.
    pub unsafe fn apply(&self, how: Use, c: Matrix<T>, rows: usize, columns: usize) {
        let starts = (0..self.tau.len()).step_by(BLOCK);
        let run = |from: usize| {
            // SAFETY: the caller says so.
            unsafe {
                let block = self.block(from);
                match how.left {
                    true => block.left(how.adjoint, c.at(from, 0), columns),
                    false => block.right(how.adjoint, c.at(0, from), rows),
                }
            }
        };
        // What stands next to C comes first.
        match how.left == how.adjoint {
            true => starts.for_each(run),
            false => starts.rev().for_each(run),
        }
    }

    /// Puts the first columns of Q into a matrix.
    ///
    /// # Safety
    /// As for [`Self::apply`].
    pub unsafe fn form(&self, q: Matrix<T>, columns: usize) {
        // SAFETY: the caller says so.
        unsafe {
            for j in 0..columns {
                for i in 0..self.rows {
                    q.set(i, j, if i == j { T::ONE } else { T::ZERO });
                }
            }
            self.apply(Use { left: true, adjoint: false }, q, self.rows, columns);
        }
    }

    unsafe fn block(&self, from: usize) -> Block<T> {
        let count = BLOCK.min(self.tau.len() - from);
        let rows = self.rows - from;
        let mut v = vec![T::ZERO; rows * count];
        for j in 0..count {
            v[j * rows + j] = T::ONE;
            for i in j + 1..rows {
                // SAFETY: the caller says so.
                v[j * rows + i] = unsafe { self.vectors.get(from + i, from + j) };
            }
        }
        let t = factor(&v, rows, &self.tau[from..from + count]);
        Block { v, t, rows, count }
    }
}

/// The upper triangular T of `1 - V T V'` for vectors that are columns of `v`, of that many rows.
pub fn factor<T: Scalar>(v: &[T], rows: usize, tau: &[T]) -> Vec<T> {
    let count = tau.len();
    let mut t = vec![T::ZERO; count * count];
    let column = |j: usize| &v[j * rows..(j + 1) * rows];
    for (j, &factor) in tau.iter().enumerate() {
        t[j * count + j] = factor;
        let products: Vec<T> = (0..j)
            .map(|i| {
                let mut sum = T::ZERO;
                for (a, b) in column(i).iter().zip(column(j)) {
                    sum += a.conj() * *b;
                }
                sum * -factor
            })
            .collect();
        for i in 0..j {
            let mut sum = T::ZERO;
            for (k, product) in products.iter().enumerate().skip(i) {
                sum += t[k * count + i] * *product;
            }
            t[j * count + i] = sum;
        }
    }
    t
}

fn view<T: Copy>(values: &[T], rows: usize) -> Matrix<T> {
    Matrix::columns(values.as_ptr(), rows as isize)
}

/// `C = A B`, or C minus that.
unsafe fn multiply<T: Scalar>(
    [a, b, c]: [Matrix<T>; 3],
    (rows, depth, columns): (usize, usize, usize),
    subtract: bool,
) {
    let (alpha, beta) = if subtract { (-T::ONE, T::ONE) } else { (T::ONE, T::ZERO) };
    // SAFETY: the caller says so.
    unsafe {
        Product { a, b, c, depth, alpha, beta }.run(Tile { row: 0, column: 0, rows, columns })
    };
}

impl<T: Scalar> Block<T> {
    unsafe fn left(&self, adjoint: bool, c: Matrix<T>, columns: usize) {
        let Block { v, t, rows, count } = self;
        let (v, t) = (view(v, *rows), view(t, *count));
        let t = if adjoint { t.transposed().conjugated() } else { t };
        let mut memory = vec![T::ZERO; 2 * count * columns];
        let (first, second) = memory.split_at_mut(count * columns);
        let first = Matrix::columns(first.as_mut_ptr().cast_const(), *count as isize);
        let second = Matrix::columns(second.as_mut_ptr().cast_const(), *count as isize);
        // SAFETY: the caller says so.
        unsafe {
            multiply([v.transposed().conjugated(), c, first], (*count, *rows, columns), false);
            multiply([t, first, second], (*count, *count, columns), false);
            multiply([v, second, c], (*rows, *count, columns), true);
        }
    }

    unsafe fn right(&self, adjoint: bool, c: Matrix<T>, rows_of_c: usize) {
        let Block { v, t, rows, count } = self;
        let (v, t) = (view(v, *rows), view(t, *count));
        let t = if adjoint { t.transposed().conjugated() } else { t };
        let mut memory = vec![T::ZERO; 2 * count * rows_of_c];
        let (first, second) = memory.split_at_mut(count * rows_of_c);
        let first = Matrix::columns(first.as_mut_ptr().cast_const(), rows_of_c as isize);
        let second = Matrix::columns(second.as_mut_ptr().cast_const(), rows_of_c as isize);
        // SAFETY: the caller says so.
        unsafe {
            multiply([c, v, first], (rows_of_c, *rows, *count), false);
            multiply([first, t, second], (rows_of_c, *count, *count), false);
            multiply([second, v.transposed().conjugated(), c], (rows_of_c, *count, *rows), true);
        }
    }
}
