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
