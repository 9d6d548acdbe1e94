//! Matrices that reflectors make tridiagonal or bidiagonal, as LAPACK's sytrd and gebrd do.

use crate::householder::Reflectors;
use crate::qr::{apply, reflector};
use crate::{Matrix, Scalar};

/// The matrix with the order of rows and columns turned round: its upper triangle is the lower one of this.
pub fn reversed<T: Copy>(a: Matrix<T>, rows: usize, columns: usize) -> Matrix<T> {
    let last = a.at(rows.saturating_sub(1), columns.saturating_sub(1));
    Matrix { row: -a.row, column: -a.column, ..last }
}

/// The matrix with the order of rows turned round.
pub fn turned_round<T: Copy>(a: Matrix<T>, rows: usize) -> Matrix<T> {
    Matrix { row: -a.row, ..a.at(rows.saturating_sub(1), 0) }
}

/// The results of a reduction besides the matrix: two diagonals and the reflectors' factors.
#[derive(Clone, Debug)]
pub struct Tridiagonal<T: Scalar> {
    pub diagonal: Vec<T::Real>,
    pub beside: Vec<T::Real>,
    pub tau: Vec<T>,
}

/// Makes a Hermitian matrix, of which one triangle is used, tridiagonal: `Q' A Q`. The reflectors of Q replace the
/// triangle.
///
/// # Safety
/// A is memory that nobody else has.
pub unsafe fn tridiagonal<T: Scalar>(a: Matrix<T>, upper: bool, n: usize) -> Tridiagonal<T> {
    let a = if upper { reversed(a, n, n) } else { a };
    let mut tau = vec![T::ZERO; n.saturating_sub(1)];
    let half = T::of(T::Real::ONE / (T::Real::ONE + T::Real::ONE));
    // SAFETY: the caller says so.
    unsafe {
        for (k, factor) in tau.iter_mut().enumerate() {
            let rest = n - k - 1;
            let v = a.at(k + 1, k);
            *factor = reflector(v, rest);
            let tau = *factor;
            let beta = v.get(0, 0);
            v.set(0, 0, T::ONE);
            let c = a.at(k + 1, k + 1);
            // w = tau C v, then w = w - tau/2 (w'v) v, and C = C - v w' - w v'.
            let mut w = vec![T::ZERO; rest];
            for j in 0..rest {
                let x = v.get(j, 0);
                w[j] += T::of(c.get(j, j).re()) * x;
                for i in j + 1..rest {
                    let element = c.get(i, j);
                    w[i] += element * x;
                    w[j] += element.conj() * v.get(i, 0);
                }
            }
            w.iter_mut().for_each(|w| *w *= tau);
            let mut dot = T::ZERO;
            for (i, w) in w.iter().enumerate() {
                dot += w.conj() * v.get(i, 0);
            }
            for (i, w) in w.iter_mut().enumerate() {
                *w -= tau * half * dot * v.get(i, 0);
            }
            for (j, own) in w.iter().enumerate() {
                let (x, y) = (v.get(j, 0).conj(), own.conj());
                for (i, other) in w.iter().enumerate().skip(j) {
                    let value = c.get(i, j) - v.get(i, 0) * y - *other * x;
                    c.set(i, j, if i == j { T::of(value.re()) } else { value });
                }
            }
            v.set(0, 0, beta);
        }
        let mut found = Tridiagonal {
            diagonal: (0..n).map(|i| a.get(i, i).re()).collect(),
            beside: (1..n).map(|i| a.get(i, i - 1).re()).collect(),
            tau,
        };
        if upper {
            found.diagonal.reverse();
            found.beside.reverse();
            found.tau.reverse();
        }
        found
    }
}

/// The reflectors that [`tridiagonal`] left in a matrix: they act on all rows but the first one, of a matrix whose order is
/// turned round where the triangle is the `upper` one; `tau` is in their order then.
pub fn of_tridiagonal<T: Scalar>(
    a: Matrix<T>,
    upper: bool,
    n: usize,
    tau: &[T],
) -> Reflectors<'_, T> {
    let a = if upper { reversed(a, n, n) } else { a };
    Reflectors { vectors: a.at(1, 0), rows: n.saturating_sub(1), tau }
}

/// The results of a reduction to two diagonals besides the matrix.
#[derive(Clone, Debug)]
pub struct Bidiagonal<T: Scalar> {
    pub diagonal: Vec<T::Real>,
    pub beside: Vec<T::Real>,
    pub tau_q: Vec<T>,
    pub tau_p: Vec<T>,
}

/// Makes a matrix bidiagonal: `Q' A P`, upper where it has at least as many rows as columns, else lower. The reflectors of Q
/// are columns, those of P are rows, conjugated.
///
/// # Safety
/// A is memory that nobody else has.
pub unsafe fn bidiagonal<T: Scalar>(a: Matrix<T>, m: usize, n: usize) -> Bidiagonal<T> {
    let count = m.min(n);
    let mut found = Bidiagonal {
        diagonal: Vec::new(),
        beside: Vec::new(),
        tau_q: vec![T::ZERO; count],
        tau_p: vec![T::ZERO; count],
    };
    // SAFETY: the caller says so.
    unsafe {
        if m >= n {
            for k in 0..n {
                found.tau_q[k] = column(a.at(k, k), m - k, n - k);
                found.diagonal.push(a.get(k, k).re());
                if k + 1 < n {
                    found.tau_p[k] = row(a.at(k, k + 1), m - k, n - k - 1);
                    found.beside.push(a.get(k, k + 1).re());
                }
            }
        } else {
            for k in 0..m {
                found.tau_p[k] = row(a.at(k, k), m - k, n - k);
                found.diagonal.push(a.get(k, k).re());
                if k + 1 < m {
                    found.tau_q[k] = column(a.at(k + 1, k), m - k - 1, n - k);
                    found.beside.push(a.get(k + 1, k).re());
                }
            }
        }
    }
    found
}

/// Reflects the first column of a matrix, and applies the reflector to the others.
unsafe fn column<T: Scalar>(a: Matrix<T>, rows: usize, columns: usize) -> T {
    // SAFETY: the caller says so.
    unsafe {
        let tau = reflector(a, rows);
        apply(a, rows, tau.conj(), a.at(0, 1), columns - 1);
        tau
    }
}

/// Reflects the first row of a matrix, and applies the reflector to the others.
unsafe fn row<T: Scalar>(a: Matrix<T>, rows: usize, columns: usize) -> T {
    // SAFETY: the caller says so.
    unsafe {
        let conjugate = || {
            if T::IS_COMPLEX {
                (0..columns).for_each(|j| a.set(0, j, a.get(0, j).conj()));
            }
        };
        conjugate();
        let tau = reflector(a.transposed(), columns);
        // C (1 - tau u u') turned round is (1 - tau conj(u) u^T) C^T.
        for i in 1..rows {
            let c = a.at(i, 0);
            let mut sum = c.get(0, 0);
            for j in 1..columns {
                sum += c.get(0, j) * a.get(0, j);
            }
            sum *= tau;
            c.set(0, 0, c.get(0, 0) - sum);
            for j in 1..columns {
                c.set(0, j, c.get(0, j) - sum * a.get(0, j).conj());
            }
        }
        conjugate();
        tau
    }
}
