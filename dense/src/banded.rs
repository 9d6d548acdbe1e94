//! Matrices of which a part is stored: a triangle, a band, or both, packed or not.

use crate::Scalar;
use crate::matrix::Vector;

/// Where the elements of a matrix lie.
#[derive(Clone, Copy, Debug)]
pub enum Storage {
    /// Column after column, `leading` elements apart.
    Full { leading: isize },
    /// The diagonals of a band are rows; the main one is row `main`.
    Band { leading: isize, main: isize },
    /// The columns of a triangle without gaps.
    Packed,
}

/// The values of the elements that are not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Zero.
    General,
    /// Those on the other side of the diagonal.
    Symmetric,
    /// Their conjugates; the diagonal is real.
    Hermitian,
    /// Zero; the diagonal is one where it is `unit`.
    Triangular { unit: bool },
}

/// A matrix of which a part is stored.
#[derive(Clone, Copy, Debug)]
pub struct Stored<T> {
    pub first: *mut T,
    pub rows: usize,
    pub columns: usize,
    pub storage: Storage,
    pub structure: Structure,
    /// Of a matrix that is not general: which triangle is stored.
    pub upper: bool,
    /// The diagonals below and above the main one.
    pub below: usize,
    pub above: usize,
}

// SAFETY: an address and numbers; who reads through it answers for it.
unsafe impl<T: Send> Send for Stored<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Stored<T> {}

/// How a matrix is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turned {
    pub transposed: bool,
    pub conj: bool,
}

impl<T: Scalar> Stored<T> {
    /// A square matrix with one triangle.
    pub fn triangle(
        first: *const T,
        n: usize,
        storage: Storage,
        structure: Structure,
        upper: bool,
        diagonals: usize,
    ) -> Self {
        let (rows, columns, first) = (n, n, first.cast_mut());
        let (below, above) = match structure {
            Structure::Triangular { .. } if upper => (0, diagonals),
            Structure::Triangular { .. } => (diagonals, 0),
            _ => (diagonals, diagonals),
        };
        Stored { first, rows, columns, storage, structure, upper, below, above }
    }

    /// The address of an element that is stored.
    pub fn place(&self, i: usize, j: usize) -> *mut T {
        let (row, column) = (i as isize, j as isize);
        self.first.wrapping_offset(match self.storage {
            Storage::Full { leading } => row + column * leading,
            Storage::Band { leading, main } => main + row - column + column * leading,
            Storage::Packed if self.upper => row + column * (column + 1) / 2,
            Storage::Packed => row + (2 * self.rows as isize - column - 1) * column / 2,
        })
    }

    /// An element.
    ///
    /// # Safety
    /// The matrix is memory that may be read.
    pub unsafe fn get(&self, i: usize, j: usize) -> T {
        if i > j + self.below || j > i + self.above {
            return T::ZERO;
        }
        // SAFETY: the caller says so.
        let at = |i, j| unsafe { self.place(i, j).read_unaligned() };
        let is_stored = if self.upper { i <= j } else { i >= j };
        match self.structure {
            Structure::General => at(i, j),
            Structure::Triangular { unit: true } if i == j => T::ONE,
            Structure::Triangular { .. } if !is_stored => T::ZERO,
            Structure::Triangular { .. } => at(i, j),
            Structure::Symmetric if is_stored => at(i, j),
            Structure::Symmetric => at(j, i),
            Structure::Hermitian if i == j => T::of(at(i, j).re()),
            Structure::Hermitian if is_stored => at(i, j),
            Structure::Hermitian => at(j, i).conj(),
        }
    }

    unsafe fn turned(&self, turned: Turned, i: usize, j: usize) -> T {
        // SAFETY: the caller says so.
        let value = unsafe { if turned.transposed { self.get(j, i) } else { self.get(i, j) } };
        value.conj_if(turned.conj)
    }

    /// The columns of a row in which it is not zero.
    fn columns_of(&self, turned: Turned, row: usize) -> std::ops::Range<usize> {
        let (below, above, columns) = match turned.transposed {
            false => (self.below, self.above, self.columns),
            true => (self.above, self.below, self.rows),
        };
        row.saturating_sub(below).min(columns)..row.saturating_add(above + 1).min(columns)
    }

    /// Elements of rows `from` to `to` of `A x`.
    ///
    /// # Safety
    /// The matrix and the vector are memory that may be read.
    pub unsafe fn times(&self, turned: Turned, row: usize, x: impl Fn(usize) -> T) -> T {
        let mut sum = T::ZERO;
        for j in self.columns_of(turned, row) {
            // SAFETY: the caller says so.
            sum += unsafe { self.turned(turned, row, j) } * x(j);
        }
        sum
    }

    /// `x = A x` for a triangular matrix.
    ///
    /// # Safety
    /// The matrix is memory that may be read, the vector memory that nobody else has.
    pub unsafe fn multiply(&self, turned: Turned, x: Vector<T>) {
        // SAFETY: the caller says so.
        unsafe {
            let old: Vec<T> = (0..self.rows).map(|i| x.get(i)).collect();
            for i in 0..self.rows {
                x.set(i, self.times(turned, i, |j| old[j]));
            }
        }
    }

    /// Solves `A x = b` for a triangular matrix; x is b before.
    ///
    /// # Safety
    /// As for [`Self::multiply`].
    pub unsafe fn solve(&self, turned: Turned, x: Vector<T>) {
        let n = self.rows;
        let forward = self.upper == turned.transposed;
        let unit = self.structure == Structure::Triangular { unit: true };
        for step in 0..n {
            let i = if forward { step } else { n - 1 - step };
            let columns = self.columns_of(turned, i);
            let others = if forward { columns.start..i } else { i + 1..columns.end.max(i + 1) };
            // SAFETY: the caller says so.
            unsafe {
                let mut value = x.get(i);
                for j in others {
                    value -= self.turned(turned, i, j) * x.get(j);
                }
                x.set(i, if unit { value } else { value / self.turned(turned, i, i) });
            }
        }
    }

    /// Adds `change(i, j)` to the elements of a column that are stored. Diagonals of Hermitian matrices become real.
    ///
    /// # Safety
    /// The matrix is memory that may be read and written.
    pub unsafe fn add_to_column(&self, j: usize, change: impl Fn(usize, usize) -> T) {
        let rows = if self.upper { 0..j + 1 } else { j..self.rows };
        for i in rows {
            let place = self.place(i, j);
            // SAFETY: the caller says so.
            let value = unsafe { place.read_unaligned() } + change(i, j);
            let real = self.structure == Structure::Hermitian && i == j;
            // SAFETY: the caller says so.
            unsafe { place.write_unaligned(if real { T::of(value.re()) } else { value }) };
        }
    }
}
