//! Decompositions of symmetric and Hermitian matrices that need not be definite: `A = L D L^T`, where D has blocks of one and
//! two rows, by the pivots of Bunch and Kaufman, as LAPACK's sytrf and hetrf store them.

use crate::condensed::{reversed, turned_round};
use crate::{Matrix, Real, Scalar};

/// A matrix of which one triangle is stored.
#[derive(Clone, Copy, Debug)]
pub struct Symmetric<T> {
    pub a: Matrix<T>,
    pub n: usize,
    pub upper: bool,
    /// Whether what is not stored is the conjugate.
    pub hermitian: bool,
}

impl<T: Scalar> Symmetric<T> {
    /// The upper triangle is the lower one of the matrix in the other order.
    fn lower(self) -> Matrix<T> {
        if self.upper { reversed(self.a, self.n, self.n) } else { self.a }
    }

    fn mirror(self, value: T) -> T {
        value.conj_if(self.hermitian)
    }

    /// A number of the diagonal.
    fn own(self, value: T) -> T {
        if self.hermitian { T::of(value.re()) } else { value }
    }

    /// A pivot's number, from 1 or negative, in the order of rows that LAPACK has.
    fn number(self, pivot: i64) -> i64 {
        match self.upper {
            true => pivot.signum() * (self.n as i64 + 1 - pivot.abs()),
            false => pivot,
        }
    }

    /// Decomposes the matrix in place; rows stay where they are without pivots. The number, from 1, of the first block that
    /// is singular, else 0.
    ///
    /// # Safety
    /// The matrix is memory that nobody else has.
    pub unsafe fn decompose(self, mut pivots: Option<&mut [i64]>) -> i32 {
        let (a, n) = (self.lower(), self.n);
        let mut info = 0;
        let mut k = 0;
        while k < n {
            // SAFETY: the caller says so.
            unsafe {
                let (width, other, singular) = match pivots {
                    Some(_) => self.pivot(a, k),
                    None => (1, k, a.get(k, k) == T::ZERO),
                };
                if singular {
                    let place = if self.upper { n - k } else { k + 1 };
                    info = if info == 0 { place as i32 } else { info };
                } else {
                    self.exchange(a, k, k + width - 1, other);
                    match width {
                        1 => self.eliminate_one(a, k),
                        _ => self.eliminate_two(a, k),
                    }
                }
                if let Some(pivots) = &mut pivots {
                    let number = other as i64 + 1;
                    for row in k..k + width {
                        let place = if self.upper { n - 1 - row } else { row };
                        pivots[place] = self.number(if width == 1 { number } else { -number });
                    }
                }
                k += width;
            }
        }
        info
    }

    /// The rows of the next block, the row that becomes its last, and whether there is no pivot at all.
    unsafe fn pivot(self, a: Matrix<T>, k: usize) -> (usize, usize, bool) {
        let n = self.n;
        let alpha = T::Real::from_f64((1.0 + 17f64.sqrt()) / 8.0);
        let zero = T::Real::ZERO;
        let largest = |sizes: &mut dyn Iterator<Item = (usize, T::Real)>| {
            sizes.fold((k, zero), |best, size| if size.1 > best.1 { size } else { best })
        };
        // SAFETY: the caller says so.
        unsafe {
            let own = self.own(a.get(k, k)).size();
            let (row, below) = largest(&mut (k + 1..n).map(|i| (i, a.get(i, k).size())));
            if own == zero && below == zero {
                return (1, k, true);
            }
            if own >= alpha * below {
                return (1, k, false);
            }
            let mut others = (k..row)
                .map(|j| (j, a.get(row, j).size()))
                .chain((row + 1..n).map(|i| (i, a.get(i, row).size())));
            let (_, beside) = largest(&mut others);
            if own >= alpha * below * (below / beside) {
                (1, k, false)
            } else if self.own(a.get(row, row)).size() >= alpha * beside {
                (1, row, false)
            } else {
                (2, row, false)
            }
        }
    }

    /// Exchanges rows and columns `row` and `other`, of what is not decomposed yet: from column k.
    unsafe fn exchange(self, a: Matrix<T>, k: usize, row: usize, other: usize) {
        if row == other {
            return;
        }
        // SAFETY: the caller says so.
        unsafe {
            let swap = |one: (usize, usize), two: (usize, usize)| {
                let kept = a.get(one.0, one.1);
                a.set(one.0, one.1, a.get(two.0, two.1));
                a.set(two.0, two.1, kept);
            };
            (other + 1..self.n).for_each(|i| swap((i, row), (i, other)));
            for j in row + 1..other {
                let kept = self.mirror(a.get(j, row));
                a.set(j, row, self.mirror(a.get(other, j)));
                a.set(other, j, kept);
            }
            a.set(other, row, self.mirror(a.get(other, row)));
            swap((row, row), (other, other));
            (k..row).for_each(|j| swap((row, j), (other, j)));
        }
    }

    unsafe fn eliminate_one(self, a: Matrix<T>, k: usize) {
        // SAFETY: the caller says so.
        unsafe {
            let pivot = self.own(a.get(k, k));
            a.set(k, k, pivot);
            for j in k + 1..self.n {
                let factor = self.mirror(a.get(j, k) / pivot);
                for i in j..self.n {
                    a.set(i, j, a.get(i, j) - a.get(i, k) * factor);
                }
                a.set(j, j, self.own(a.get(j, j)));
            }
            (k + 1..self.n).for_each(|i| a.set(i, k, a.get(i, k) / pivot));
        }
    }

    unsafe fn eliminate_two(self, a: Matrix<T>, k: usize) {
        // SAFETY: the caller says so.
        unsafe {
            a.set(k, k, self.own(a.get(k, k)));
            a.set(k + 1, k + 1, self.own(a.get(k + 1, k + 1)));
            for j in k + 2..self.n {
                let [first, second] = self.times_inverse(a, k, [a.get(j, k), a.get(j, k + 1)]);
                let (left, right) = (self.mirror(first), self.mirror(second));
                for i in j..self.n {
                    let value = a.get(i, k) * left + a.get(i, k + 1) * right;
                    a.set(i, j, a.get(i, j) - value);
                }
                a.set(j, j, self.own(a.get(j, j)));
                a.set(j, k, first);
                a.set(j, k + 1, second);
            }
        }
    }

    /// `x D^-1` for a row of two and the block of two rows at k.
    unsafe fn times_inverse(self, a: Matrix<T>, k: usize, [x, y]: [T; 2]) -> [T; 2] {
        // SAFETY: the caller says so.
        let (one, two, beside) = unsafe { (a.get(k, k), a.get(k + 1, k + 1), a.get(k + 1, k)) };
        // By the number beside the diagonal, which is the largest, so that nothing overflows.
        let mirrored = self.mirror(beside);
        let (scaled_one, scaled_two) = (one / mirrored, two / beside);
        let determinant = scaled_one * scaled_two - T::ONE;
        [
            (scaled_two * x - y) / (determinant * mirrored),
            (scaled_one * y - x) / (determinant * beside),
        ]
    }

    /// Solves `A X = B` by a decomposition of A; X is B before. Pivots are none where rows stayed where they were.
    ///
    /// # Safety
    /// The matrix is memory that may be read, B memory that nobody else has.
    pub unsafe fn solve(self, pivots: Option<&[i64]>, b: Matrix<T>, columns: usize) {
        let (a, n) = (self.lower(), self.n);
        let b = if self.upper { turned_round(b, n) } else { b };
        let pivot = |row: usize| match pivots {
            Some(pivots) => self.number(pivots[if self.upper { n - 1 - row } else { row }]),
            None => row as i64 + 1,
        };
        let place = |pivot: i64| (pivot.unsigned_abs() as usize).clamp(1, n) - 1;
        let width = |k: usize| if pivot(k) < 0 && k + 1 < n { 2 } else { 1 };
        // SAFETY: the caller says so.
        unsafe {
            let exchange = |row: usize, other: usize| {
                for j in 0..columns {
                    let kept = b.get(row, j);
                    b.set(row, j, b.get(other, j));
                    b.set(other, j, kept);
                }
            };
            let mut starts = Vec::new();
            let mut k = 0;
            while k < n {
                let width = width(k);
                let last = k + width - 1;
                starts.push((k, width));
                exchange(last, place(pivot(last)));
                for j in 0..columns {
                    for column in k..k + width {
                        let value = b.get(column, j);
                        for i in k + width..n {
                            b.set(i, j, b.get(i, j) - a.get(i, column) * value);
                        }
                    }
                    if width == 1 {
                        b.set(k, j, b.get(k, j) / self.own(a.get(k, k)));
                    } else {
                        let (x, y) = (b.get(k, j), b.get(k + 1, j));
                        // D x = b is x^T D^T = b^T, and D^T is D or its conjugate.
                        let row = [self.mirror(x), self.mirror(y)];
                        let [x, y] = self.times_inverse(a, k, row);
                        b.set(k, j, self.mirror(x));
                        b.set(k + 1, j, self.mirror(y));
                    }
                }
                k += width;
            }
            for (k, width) in starts.into_iter().rev() {
                let last = k + width - 1;
                for j in 0..columns {
                    for column in k..k + width {
                        let mut value = b.get(column, j);
                        for i in k + width..n {
                            value -= self.mirror(a.get(i, column)) * b.get(i, j);
                        }
                        b.set(column, j, value);
                    }
                }
                exchange(last, place(pivot(last)));
            }
        }
    }
}
