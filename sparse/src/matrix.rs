//! Sparse matrices as places in memory.

use crate::number::Type;
use crate::place::{Address, Indices};
use std::ops::Range;

/// Where the elements of a matrix stand.
#[derive(Clone, Copy, Debug)]
pub enum Layout {
    /// Lines of elements: rows (CSR), or columns (CSC).
    Compressed { by_columns: bool, offsets: Indices, indices: Indices },
    /// A row and a column for each element, in any order.
    Coordinates { rows: Indices, columns: Indices },
    /// Rows of blocks (BSR). The elements of a block lie row by row, or column by column.
    Blocks { height: usize, width: usize, by_columns: bool, offsets: Indices, indices: Indices },
    /// As many blocks in each row of blocks (blocked ELL), `width` of them; the values are those of a matrix of `rows` rows
    /// and `size * width` columns, row by row. A block without a column is not there.
    BlockedEll { size: usize, width: usize, indices: Indices },
    /// Slices of `height` rows, whose elements lie column by column (sliced ELL). An element without a column is not
    /// there.
    Sliced { height: usize, offsets: Indices, indices: Indices },
}

/// A sparse matrix.
#[derive(Clone, Copy, Debug)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    /// Elements that are stored; of blocks, blocks.
    pub stored: usize,
    pub layout: Layout,
    pub values: Address,
    pub ty: Type,
    /// How far it is from a matrix of a batch to the next: in offsets, indices and values.
    pub batch: [isize; 3],
}

/// A block's column that says that there is none: -1, or what that is from base 1.
fn is_missing(index: usize) -> bool {
    index > isize::MAX as usize
}

impl Matrix {
    /// The matrix of a number of a batch.
    pub fn of_batch(self, number: usize) -> Matrix {
        let number = number as isize;
        let [offsets_step, indices_step, values_step] = self.batch.map(|step| step * number);
        let layout = match self.layout {
            Layout::Compressed { by_columns, offsets, indices } => Layout::Compressed {
                by_columns,
                offsets: offsets.skip(offsets_step),
                indices: indices.skip(indices_step),
            },
            Layout::Coordinates { rows, columns } => Layout::Coordinates {
                rows: rows.skip(indices_step),
                columns: columns.skip(indices_step),
            },
            Layout::Blocks { height, width, by_columns, offsets, indices } => Layout::Blocks {
                height,
                width,
                by_columns,
                offsets: offsets.skip(offsets_step),
                indices: indices.skip(indices_step),
            },
            other => other,
        };
        Matrix { layout, values: self.values.skip(values_step, self.ty), ..self }
    }

    /// The lines that [`Self::visit`] can visit: rows, columns, elements, rows of blocks, or slices.
    pub fn lines(&self) -> usize {
        match self.layout {
            Layout::Compressed { by_columns: false, .. } => self.rows,
            Layout::Compressed { by_columns: true, .. } => self.columns,
            Layout::Coordinates { .. } => self.stored,
            Layout::Blocks { height, .. } => self.rows / height.max(1),
            Layout::BlockedEll { size, .. } => self.rows / size.max(1),
            Layout::Sliced { height, .. } => self.rows.div_ceil(height.max(1)),
        }
    }

    /// Looks whether the end of its indices is there.
    ///
    /// # Safety
    /// It is memory of the program's, or the work ends as a kernel does.
    pub(crate) unsafe fn touch(&self) {
        let (indices, count) = match self.layout {
            Layout::Compressed { offsets, .. }
            | Layout::Blocks { offsets, .. }
            | Layout::Sliced { offsets, .. } => {
                (offsets, self.lines() + usize::from(self.lines() > 0))
            }
            Layout::Coordinates { rows, .. } => (rows, self.stored),
            Layout::BlockedEll { width, indices, .. } => (indices, self.lines() * width),
        };
        if let Some(last) = count.checked_sub(1) {
            // SAFETY: the caller says so.
            unsafe { crate::room::touch(indices.place(last)) };
        }
    }

    /// The rows that belong to a line alone, and to no other one; none where lines are not rows.
    pub fn rows_of_line(&self) -> Option<usize> {
        match self.layout {
            Layout::Compressed { by_columns: false, .. } => Some(1),
            Layout::Compressed { .. } | Layout::Coordinates { .. } => None,
            Layout::Blocks { height, .. } | Layout::Sliced { height, .. } => Some(height),
            Layout::BlockedEll { size, .. } => Some(size),
        }
    }

    /// The columns that belong to a line alone.
    pub fn columns_of_line(&self) -> Option<usize> {
        match self.layout {
            Layout::Compressed { by_columns: true, .. } => Some(1),
            _ => None,
        }
    }

    /// The lines of one of several parts: about as many elements in each.
    ///
    /// # Safety
    /// The offsets can be read.
    pub unsafe fn part(&self, part: usize, parts: usize) -> Range<usize> {
        let lines = self.lines();
        let (Layout::Compressed { offsets, .. } | Layout::Blocks { offsets, .. }) = self.layout
        else {
            return lines * part / parts..lines * (part + 1) / parts;
        };
        // Elements and lines before a line grow with it, so that both are shared out.
        // SAFETY: the caller says so.
        let before = |line: usize| unsafe { offsets.get(line) }.saturating_add(line);
        let find = |part: usize| {
            if part == 0 {
                return 0;
            }
            if part == parts {
                return lines;
            }
            let target = (before(lines) as u128 * part as u128 / parts as u128) as usize;
            let (mut low, mut high) = (0, lines);
            while low < high {
                let middle = (low + high) / 2;
                if before(middle) < target { low = middle + 1 } else { high = middle }
            }
            low
        };
        let (first, end) = (find(part), find(part + 1));
        // Offsets that go down are no matrix.
        first..end.max(first)
    }

    /// Calls with row, column and place among the values of each stored element of some lines.
    ///
    /// # Safety
    /// The indices of those lines can be read.
    #[inline(always)]
    pub unsafe fn visit(&self, lines: Range<usize>, mut with: impl FnMut(usize, usize, usize)) {
        match self.layout {
            Layout::Compressed { by_columns, offsets, indices } => {
                for line in lines {
                    // SAFETY: the caller says so.
                    for at in unsafe { offsets.get(line)..offsets.get(line + 1) } {
                        // SAFETY: the caller says so.
                        let index = unsafe { indices.get(at) };
                        if by_columns { with(index, line, at) } else { with(line, index, at) }
                    }
                }
            }
            Layout::Coordinates { rows, columns } => {
                for at in lines {
                    // SAFETY: the caller says so.
                    unsafe { with(rows.get(at), columns.get(at), at) };
                }
            }
            Layout::Blocks { height, width, by_columns, offsets, indices } => {
                let (down, right) = if by_columns { (1, height) } else { (width, 1) };
                for line in lines {
                    // SAFETY: the caller says so.
                    for at in unsafe { offsets.get(line)..offsets.get(line + 1) } {
                        // SAFETY: the caller says so.
                        let (first, block) =
                            (unsafe { indices.get(at) } * width, at * height * width);
                        for i in 0..height {
                            for j in 0..width {
                                with(line * height + i, first + j, block + i * down + j * right);
                            }
                        }
                    }
                }
            }
            Layout::BlockedEll { size, width, indices } => {
                for line in lines {
                    for slot in 0..width {
                        // SAFETY: the caller says so.
                        let index = unsafe { indices.get(line * width + slot) };
                        if is_missing(index) {
                            continue;
                        }
                        for i in 0..size {
                            for j in 0..size {
                                let row = line * size + i;
                                with(row, index * size + j, (row * width + slot) * size + j);
                            }
                        }
                    }
                }
            }
            Layout::Sliced { height, offsets, indices } => {
                for line in lines {
                    // SAFETY: the caller says so.
                    for at in unsafe { offsets.get(line)..offsets.get(line + 1) } {
                        // SAFETY: the caller says so.
                        let (start, index) = unsafe { (offsets.get(line), indices.get(at)) };
                        let row = line * height + (at - start) % height;
                        if !is_missing(index) && row < self.rows {
                            with(row, index, at);
                        }
                    }
                }
            }
        }
    }
}
