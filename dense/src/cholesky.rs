//! Decompositions of Hermitian positive definite matrices into a triangular matrix and its adjoint, and inverses of
//! triangular matrices.

use crate::product::{Product, Tile};
use crate::{Matrix, Real, Scalar, triangular};

/// Columns that are decomposed one by one; products do the rest.
const BLOCK: usize = 64;

/// Decomposes the triangle of a matrix in place, as LAPACK's potrf does: `A = L L'`, or `U' U` where `upper`. The other
/// triangle is left alone. The order, from 1, of the first leading minor that is not positive, else 0.
///
/// # Safety
/// A is memory that nobody else has.
pub unsafe fn decompose<T: Scalar>(a: Matrix<T>, upper: bool, n: usize) -> i32 {
    // The transposed matrix is Hermitian too, and its factor is the transposed one.
    let a = if upper { a.transposed() } else { a };
    for from in (0..n).step_by(BLOCK) {
        let to = n.min(from + BLOCK);
        // SAFETY: the caller says so.
        unsafe {
            for j in from..to {
                let mut sum = a.get(j, j).re();
                for k in from..j {
                    let factor = a.get(j, k);
                    sum -= (factor * factor.conj()).re();
                }
                // No number is not positive either.
                let positive = sum > T::Real::ZERO;
                if !positive {
                    return j as i32 + 1;
                }
                let root = T::of(sum.sqrt());
                a.set(j, j, root);
                for i in j + 1..to {
                    let mut sum = a.get(i, j);
                    for k in from..j {
                        sum -= a.get(i, k) * a.get(j, k).conj();
                    }
                    a.set(i, j, sum / root);
                }
            }
            let (block, below) = (a.at(from, from).conjugated(), a.at(to, from));
            let rest = n - to;
            triangular::solve(block, false, false, to - from, below.transposed(), rest, T::ONE);
            subtract_square(a.at(to, to), below, rest, to - from);
        }
    }
    0
}

/// `C = C - B B'` in the lower triangle of C, of `n` rows; B has `depth` columns.
unsafe fn subtract_square<T: Scalar>(c: Matrix<T>, b: Matrix<T>, n: usize, depth: usize) {
    let mut square = vec![T::ZERO; BLOCK * BLOCK];
    for from in (0..n).step_by(BLOCK) {
        let (to, width) = (n.min(from + BLOCK), BLOCK.min(n - from));
        let (rows, columns) = (b.at(from, 0), b.at(from, 0).transposed().conjugated());
        let diagonal = Matrix::columns(square.as_mut_ptr().cast_const(), BLOCK as isize);
        // SAFETY: the caller says so.
        unsafe {
            let product =
                Product { a: rows, b: columns, c: diagonal, depth, alpha: T::ONE, beta: T::ZERO };
            product.run(Tile { row: 0, column: 0, rows: width, columns: width });
            for j in 0..width {
                for i in j..width {
                    let place = c.at(from + i, from + j);
                    place.set(0, 0, place.get(0, 0) - diagonal.get(i, j));
                }
            }
            let (a, c) = (b.at(to, 0), c.at(to, from));
            let product = Product { a, b: columns, c, depth, alpha: -T::ONE, beta: T::ONE };
            product.run(Tile { row: 0, column: 0, rows: n - to, columns: width });
        }
    }
}

/// Solves `A X = B` by a decomposition of A; X is B before.
///
/// # Safety
/// A is memory that may be read, B memory that nobody else has.
pub unsafe fn solve<T: Scalar>(a: Matrix<T>, upper: bool, n: usize, b: Matrix<T>, columns: usize) {
    let adjoint = a.transposed().conjugated();
    let (lower, upper) = if upper { (adjoint, a) } else { (a, adjoint) };
    // SAFETY: the caller says so.
    unsafe {
        triangular::solve(lower, false, false, n, b, columns, T::ONE);
        triangular::solve(upper, true, false, n, b, columns, T::ONE);
    }
}

/// Replaces the decomposition in a triangle by that triangle of the inverse, as LAPACK's potri does. The number, from 1, of
/// the first zero on the diagonal, else 0.
///
/// # Safety
/// A is memory that nobody else has.
pub unsafe fn invert<T: Scalar>(a: Matrix<T>, upper: bool, n: usize) -> i32 {
    // SAFETY: the caller says so.
    unsafe {
        let singular = crate::lu::singular(a, n);
        if singular == 0 {
            replace_triangle(a, upper, n, |inverse| solve(a, upper, n, inverse, n));
        }
        singular
    }
}

/// Replaces a triangular matrix by its inverse, as LAPACK's trtri does; the ones of a unit diagonal are written. The number, from 1, of the first zero on the
/// diagonal, else 0.
///
/// # Safety
/// A is memory that nobody else has.
pub unsafe fn invert_triangle<T: Scalar>(a: Matrix<T>, upper: bool, unit: bool, n: usize) -> i32 {
    // SAFETY: the caller says so.
    unsafe {
        let singular = if unit { 0 } else { crate::lu::singular(a, n) };
        if singular == 0 {
            replace_triangle(a, upper, n, |inverse| {
                triangular::solve(a, upper, unit, n, inverse, n, T::ONE);
            });
        }
        singular
    }
}

/// Writes a triangle of what `solve` makes of the identity.
///
/// # Safety
/// A is memory that nobody else has.
pub unsafe fn replace_triangle<T: Scalar>(
    a: Matrix<T>,
    upper: bool,
    n: usize,
    solve: impl FnOnce(Matrix<T>),
) {
    let mut memory = vec![T::ZERO; n * n];
    let inverse = Matrix::columns(memory.as_mut_ptr().cast_const(), n as isize);
    // SAFETY: the caller says so.
    unsafe {
        crate::lu::identity(inverse, n);
        solve(inverse);
        for j in 0..n {
            for i in if upper { 0..j + 1 } else { j..n } {
                a.set(i, j, inverse.get(i, j));
            }
        }
    }
}

/// Replaces a triangular matrix by that triangle of `U U'`, or of `L' L`, as LAPACK's lauum does. Always 0.
///
/// # Safety
/// A is memory that nobody else has.
pub unsafe fn square<T: Scalar>(a: Matrix<T>, upper: bool, n: usize) -> i32 {
    // SAFETY: the caller says so.
    unsafe {
        // Element (i, j) is the sum over k of u(i, k) conj(u(j, k)), from the larger of i and j; rows of the upper factor.
        let factor = |i: usize, k: usize| if upper { a.get(i, k) } else { a.get(k, i).conj() };
        // What is written is not read later: sums of an element take those to the right of it, or below.
        for i in 0..n {
            for j in i..n {
                let mut sum = T::ZERO;
                for k in j..n {
                    sum += factor(i, k) * factor(j, k).conj();
                }
                match upper {
                    true => a.set(i, j, sum),
                    false => a.set(j, i, sum.conj()),
                }
            }
        }
    }
    0
}
