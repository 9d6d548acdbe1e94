//! Decompositions into a unitary and an upper triangular matrix, and least squares by them.

use crate::householder::{Reflectors, Use};
use crate::{Matrix, Real, Scalar, triangular};

/// Columns that are decomposed one by one; products do the rest.
const BLOCK: usize = 32;

/// Decomposes a matrix in place, as LAPACK's geqrf does: R in the upper triangle, the reflectors below it, their factors
/// in `tau`.
///
/// # Safety
/// A is memory that nobody else has; `tau` has a place for each of the fewer of rows and columns.
pub unsafe fn decompose<T: Scalar>(a: Matrix<T>, rows: usize, columns: usize, tau: *mut T) {
    let count = rows.min(columns);
    for from in (0..count).step_by(BLOCK) {
        let to = count.min(from + BLOCK);
        let mut factors = [T::ZERO; BLOCK];
        // SAFETY: the caller says so.
        unsafe {
            for k in from..to {
                let factor = reflector(a.at(k, k), rows - k);
                factors[k - from] = factor;
                tau.add(k).write_unaligned(factor);
                apply(a.at(k, k), rows - k, factor.conj(), a.at(k, k + 1), to - k - 1);
            }
            let tau = &factors[..to - from];
            let block = Reflectors { vectors: a.at(from, from), rows: rows - from, tau };
            let rest = columns - to;
            if rest > 0 {
                let how = Use { left: true, adjoint: true };
                block.apply(how, a.at(from, to), rows - from, rest);
            }
        }
    }
}

/// Makes a column its reflector, with what it is reflected to in the first place.
pub(crate) unsafe fn reflector<T: Scalar>(x: Matrix<T>, n: usize) -> T {
    // SAFETY: the caller says so.
    unsafe {
        let alpha = x.get(0, 0);
        let zero = T::Real::ZERO;
        let mut rest = zero;
        for i in 1..n {
            rest = rest.hypot(x.get(i, 0).modulus());
        }
        if rest == zero && alpha.im() == zero {
            return T::ZERO;
        }
        let norm = alpha.modulus().hypot(rest);
        let beta = if alpha.re() < zero { norm } else { -norm };
        let tau = T::of_parts((beta - alpha.re()) / beta, -alpha.im() / beta);
        let scale = T::ONE / (alpha - T::of(beta));
        for i in 1..n {
            x.set(i, 0, x.get(i, 0) * scale);
        }
        x.set(0, 0, T::of(beta));
        tau
    }
}

/// `C = (1 - factor v v') C` for a reflector v whose first element, one, is not stored.
pub(crate) unsafe fn apply<T: Scalar>(
    v: Matrix<T>,
    n: usize,
    factor: T,
    c: Matrix<T>,
    columns: usize,
) {
    for j in 0..columns {
        // SAFETY: the caller says so.
        unsafe {
            let mut sum = c.get(0, j);
            for i in 1..n {
                sum += v.get(i, 0).conj() * c.get(i, j);
            }
            sum *= factor;
            c.set(0, j, c.get(0, j) - sum);
            for i in 1..n {
                c.set(i, j, c.get(i, j) - v.get(i, 0) * sum);
            }
        }
    }
}

/// [`least_squares`] in numbers of 64 bits a component, rounded once at the end: those of 32 bits lose some of their last bits
/// on the way, which for small systems costs nothing to keep.
///
/// # Safety
/// As for [`least_squares`].
pub unsafe fn least_squares_in_double<T: Scalar>(
    a: Matrix<T>,
    rows: usize,
    columns: usize,
    c: Matrix<T>,
    sides: usize,
) -> i32 {
    // SAFETY: the caller says so; the copies are as large.
    unsafe {
        if size_of::<T::Real>() == size_of::<f64>() {
            return least_squares(a, rows, columns, c, sides);
        }
        let mut copy_of_a = widen(a, rows, columns);
        let mut copy_of_c = widen(c, rows, sides);
        let wide_a = Matrix::columns(copy_of_a.as_mut_ptr(), rows as isize);
        let wide_c = Matrix::columns(copy_of_c.as_mut_ptr(), rows as isize);
        let singular = least_squares(wide_a, rows, columns, wide_c, sides);
        narrow(wide_a, a, rows, columns);
        narrow(wide_c, c, rows, sides);
        singular
    }
}

unsafe fn widen<T: Scalar>(from: Matrix<T>, rows: usize, columns: usize) -> Vec<T::Wide> {
    let places = (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j)));
    // SAFETY: the caller says so.
    places.map(|(i, j)| unsafe { from.get(i, j) }.widen()).collect()
}

unsafe fn narrow<T: Scalar>(from: Matrix<T::Wide>, to: Matrix<T>, rows: usize, columns: usize) {
    for (i, j) in (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j))) {
        // SAFETY: the caller says so.
        unsafe { to.set(i, j, T::narrow(from.get(i, j))) };
    }
}

/// The least squares of `A X - C` for a matrix of at least as many rows as columns; A becomes its decomposition, the first
/// rows of C become X. The number, from 1, of the first zero on the diagonal of R, else 0; then C is not solved.
///
/// # Safety
/// The matrices are memory that nobody else has.
pub unsafe fn least_squares<T: Scalar>(
    a: Matrix<T>,
    rows: usize,
    columns: usize,
    c: Matrix<T>,
    sides: usize,
) -> i32 {
    let mut tau = vec![T::ZERO; columns];
    // SAFETY: the caller says so.
    unsafe {
        decompose(a, rows, columns, tau.as_mut_ptr());
        let q = Reflectors { vectors: a, rows, tau: &tau };
        q.apply(Use { left: true, adjoint: true }, c, rows, sides);
        let singular = crate::lu::singular(a, columns);
        if singular == 0 {
            triangular::solve(a, true, false, columns, c, sides, T::ONE);
        }
        singular
    }
}
