//! Matrices and vectors as places in memory.

use crate::Scalar;

/// A matrix: element (i, j) lies `i * row + j * column` elements from the first one; conjugated where it is read, if so
/// said. Who makes one answers for the memory.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<T> {
    pub first: *mut T,
    /// Elements from a row to the next.
    pub row: isize,
    /// Elements from a column to the next.
    pub column: isize,
    pub conj: bool,
}

// SAFETY: an address and numbers; who reads through it answers for it.
unsafe impl<T: Send> Send for Matrix<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Matrix<T> {}

impl<T: Copy> Matrix<T> {
    /// A matrix whose columns lie one after the other, `leading` elements apart.
    pub fn columns(first: *const T, leading: isize) -> Self {
        Matrix { first: first.cast_mut(), row: 1, column: leading, conj: false }
    }

    pub fn transposed(self) -> Self {
        Matrix { row: self.column, column: self.row, ..self }
    }

    pub fn conjugated(self) -> Self {
        Matrix { conj: !self.conj, ..self }
    }

    /// The part that begins at row i, column j.
    pub fn at(self, i: usize, j: usize) -> Self {
        Matrix { first: self.place(i, j), ..self }
    }

    /// The address of an element.
    pub fn place(self, i: usize, j: usize) -> *mut T {
        self.first.wrapping_offset(i as isize * self.row + j as isize * self.column)
    }
}

impl<T: Scalar> Matrix<T> {
    /// # Safety
    /// The element is memory that may be read.
    #[inline(always)]
    pub unsafe fn get(self, i: usize, j: usize) -> T {
        // SAFETY: the caller says so.
        unsafe { self.place(i, j).read_unaligned() }.conj_if(self.conj)
    }

    /// # Safety
    /// The element is memory that may be written.
    #[inline(always)]
    pub unsafe fn set(self, i: usize, j: usize, value: T) {
        // SAFETY: the caller says so.
        unsafe { self.place(i, j).write_unaligned(value) }
    }
}

impl<T: Scalar> Matrix<T> {
    /// A copy of its elements, column after column. Memory that is not there is found before any is asked for.
    ///
    /// # Safety
    /// It is memory of that many rows and columns that may be read.
    pub unsafe fn read(self, rows: usize, columns: usize) -> Vec<T> {
        if rows == 0 || columns == 0 {
            return Vec::new();
        }
        // SAFETY: the caller says so.
        unsafe {
            self.touch(rows, columns);
            let mut copy = Vec::with_capacity(rows * columns);
            for j in 0..columns {
                copy.extend((0..rows).map(|i| self.get(i, j)));
            }
            copy
        }
    }

    /// Copies elements to it, column after column.
    ///
    /// # Safety
    /// It is memory of that many rows and columns, which nobody else has.
    pub unsafe fn write(self, rows: usize, columns: usize, from: &[T]) {
        for (j, column) in from.chunks_exact(rows.max(1)).take(columns).enumerate() {
            for (i, value) in column.iter().enumerate() {
                // SAFETY: the caller says so.
                unsafe { self.set(i, j, *value) };
            }
        }
    }

    /// Reads the first and the last element, so that memory that is not there ends the work before it asks for any.
    ///
    /// # Safety
    /// As for [`Self::read`].
    pub unsafe fn touch(self, rows: usize, columns: usize) {
        let last = (rows.saturating_sub(1), columns.saturating_sub(1));
        for (i, j) in [(0, 0), last] {
            if rows > 0 && columns > 0 {
                // SAFETY: the caller says so; a byte is aligned.
                unsafe { self.place(i, j).cast::<u8>().read_volatile() };
            }
        }
    }
}

/// A vector: element i lies `i * step` elements from the first one.
#[derive(Clone, Copy, Debug)]
pub struct Vector<T> {
    pub first: *mut T,
    pub step: isize,
}

// SAFETY: an address and a number; who reads through it answers for it.
unsafe impl<T: Send> Send for Vector<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Vector<T> {}

impl<T: Copy> Vector<T> {
    /// A vector of `n` elements as BLAS has them: with a negative step it begins at the end of its memory.
    pub fn blas(first: *const T, n: usize, step: isize) -> Self {
        let back = if step < 0 { (n as isize - 1).max(0) * -step } else { 0 };
        Vector { first: first.cast_mut().wrapping_offset(back), step }
    }

    /// # Safety
    /// The element is memory that may be read.
    #[inline(always)]
    pub unsafe fn get(self, i: usize) -> T {
        // SAFETY: the caller says so.
        unsafe { self.first.wrapping_offset(i as isize * self.step).read_unaligned() }
    }

    /// # Safety
    /// The element is memory that may be written.
    #[inline(always)]
    pub unsafe fn set(self, i: usize, value: T) {
        // SAFETY: the caller says so.
        unsafe { self.first.wrapping_offset(i as isize * self.step).write_unaligned(value) }
    }

    /// The vector as a matrix of one column.
    pub fn column(self) -> Matrix<T> {
        Matrix { first: self.first, row: self.step, column: 0, conj: false }
    }
}
