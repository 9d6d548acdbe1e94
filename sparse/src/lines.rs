//! The elements of a matrix of any format by rows, in memory of our own.

use crate::matrix::Matrix;
use crate::room::filled;
use std::ops::Range;

/// Which elements a matrix has, row after row.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    offsets: Vec<usize>,
    /// The column, and the place among the values.
    elements: Vec<(usize, usize)>,
}

impl Lines {
    /// The rows of a matrix, or of the transposed one, each sorted by columns. Elements that are out of it are left out.
    ///
    /// # Safety
    /// The matrix is memory.
    pub unsafe fn of(a: &Matrix, transposed: bool) -> Lines {
        let (rows, columns) = if transposed { (a.columns, a.rows) } else { (a.rows, a.columns) };
        let turn = |row, column| if transposed { (column, row) } else { (row, column) };
        // SAFETY: the caller says so.
        unsafe { a.touch() };
        let mut offsets = filled(0, rows + 1);
        // SAFETY: the caller says so.
        unsafe {
            a.visit(0..a.lines(), |row, column, _| {
                let (row, column) = turn(row, column);
                if row < rows && column < columns {
                    offsets[row + 1] += 1;
                }
            });
        }
        for row in 0..rows {
            offsets[row + 1] += offsets[row];
        }
        let mut next = offsets.clone();
        let mut elements = filled((0, 0), offsets[rows]);
        // SAFETY: the caller says so.
        unsafe {
            a.visit(0..a.lines(), |row, column, at| {
                let (row, column) = turn(row, column);
                // Another thread of the program may write indices while they are read.
                if row < rows
                    && column < columns
                    && let Some(element) = elements.get_mut(next[row])
                {
                    *element = (column, at);
                    next[row] += 1;
                }
            });
        }
        for row in 0..rows {
            elements[offsets[row]..offsets[row + 1]].sort_unstable();
        }
        Lines { offsets, elements }
    }

    pub fn rows(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// The places of a row's elements.
    pub fn row(&self, row: usize) -> Range<usize> {
        self.offsets[row]..self.offsets[row + 1]
    }

    /// Column and place among the values of each element of a row.
    pub fn of_row(&self, row: usize) -> &[(usize, usize)] {
        &self.elements[self.row(row)]
    }
}
