//! Products of matrices whose elements are widened when they are read, and rounded once when the result is written.

use crate::element::{E4m3, E5m2, Element};
use crate::packed::{self, Order};
use crate::product::Tile;
use half::{bf16, f16};

/// The type of elements in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    F16,
    Bf16,
    F32,
    I8,
    I32,
    E4m3,
    E5m2,
}

/// Evaluates an expression for the type of a format.
macro_rules! of_format {
    ($format:expr, $ty:ident => $value:expr) => {
        match $format {
            Format::F16 => {
                type $ty = f16;
                $value
            }
            Format::Bf16 => {
                type $ty = bf16;
                $value
            }
            Format::F32 => {
                type $ty = f32;
                $value
            }
            Format::I8 => {
                type $ty = i8;
                $value
            }
            Format::I32 => {
                type $ty = i32;
                $value
            }
            Format::E4m3 => {
                type $ty = E4m3;
                $value
            }
            Format::E5m2 => {
                type $ty = E5m2;
                $value
            }
        }
    };
}

impl Format {
    /// Bytes of an element.
    pub fn size(self) -> usize {
        of_format!(self, T => size_of::<T>())
    }

    /// An element.
    ///
    /// # Safety
    /// It is memory that may be read.
    pub unsafe fn load(self, place: *const u8) -> f32 {
        // SAFETY: the caller says so.
        of_format!(self, T => unsafe { place.cast::<T>().read_unaligned() }.widen())
    }

    /// Rounds an element and stores it.
    ///
    /// # Safety
    /// It is memory that may be written.
    pub unsafe fn store(self, place: *mut u8, value: f32) {
        // SAFETY: the caller says so.
        of_format!(self, T => unsafe { place.cast::<T>().write_unaligned(T::narrow(value)) })
    }

    /// Elements that lie one after the other.
    ///
    /// # Safety
    /// They are memory that may be read.
    unsafe fn load_all(self, from: *const u8, to: &mut [f32]) {
        of_format!(self, T => {
            let from = from.cast::<T>();
            if from.is_aligned() {
                // SAFETY: the caller says so.
                T::widen_all(unsafe { std::slice::from_raw_parts(from, to.len()) }, to);
            } else {
                for (i, to) in to.iter_mut().enumerate() {
                    // SAFETY: the caller says so.
                    *to = unsafe { from.add(i).read_unaligned() }.widen();
                }
            }
        })
    }

    /// Rounds elements and stores them one after the other.
    ///
    /// # Safety
    /// They are memory that may be written, which nobody else has.
    unsafe fn store_all(self, to: *mut u8, from: &[f32]) {
        of_format!(self, T => {
            let to = to.cast::<T>();
            if to.is_aligned() {
                // SAFETY: the caller says so.
                T::narrow_all(from, unsafe { std::slice::from_raw_parts_mut(to, from.len()) });
            } else {
                for (i, from) in from.iter().enumerate() {
                    // SAFETY: the caller says so.
                    unsafe { to.add(i).write_unaligned(T::narrow(*from)) };
                }
            }
        })
    }
}

/// A matrix in memory, with the steps from row to row and from column to column in elements.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub first: *const u8,
    pub format: Format,
    pub row: isize,
    pub column: isize,
}

// SAFETY: an address and numbers; who reads through it answers for it.
unsafe impl Send for Operand {}
// SAFETY: as above.
unsafe impl Sync for Operand {}

impl Operand {
    /// The address of an element.
    pub fn place(&self, i: usize, j: usize) -> *const u8 {
        let elements = i as isize * self.row + j as isize * self.column;
        self.first.wrapping_offset(elements * self.format.size() as isize)
    }

    /// Elements down a column from (i, j), widened.
    ///
    /// # Safety
    /// They are memory that may be read.
    pub unsafe fn load_column(&self, i: usize, j: usize, to: &mut [f32]) {
        if self.row == 1 {
            // SAFETY: the caller says so.
            return unsafe { self.format.load_all(self.place(i, j), to) };
        }
        for (row, to) in to.iter_mut().enumerate() {
            // SAFETY: the caller says so.
            *to = unsafe { self.format.load(self.place(i + row, j)) };
        }
    }

    /// Rounds elements and stores them down a column from (i, j).
    ///
    /// # Safety
    /// They are memory that may be written, which nobody else has.
    pub unsafe fn store_column(&self, i: usize, j: usize, from: &[f32]) {
        if self.row == 1 {
            // SAFETY: the caller says so.
            return unsafe { self.format.store_all(self.place(i, j).cast_mut(), from) };
        }
        for (row, value) in from.iter().enumerate() {
            // SAFETY: the caller says so.
            unsafe { self.format.store(self.place(i + row, j).cast_mut(), *value) };
        }
    }

    /// The order in which elements lie side by side.
    fn order(&self) -> Order {
        if self.row != 1 && self.column == 1 { Order::Rows } else { Order::Columns }
    }

    /// The block of `rows` by `columns` that begins at (i, j), in the order of [`Self::order`].
    ///
    /// # Safety
    /// It is memory that may be read.
    unsafe fn block(
        &self,
        (i, j): (usize, usize),
        (rows, columns): (usize, usize),
        to: &mut [f32],
    ) {
        let (length, step) = match self.order() {
            Order::Columns => (rows, self.row),
            Order::Rows => (columns, self.column),
        };
        for (number, line) in to.chunks_exact_mut(length.max(1)).enumerate() {
            let (i, j) = match self.order() {
                Order::Columns => (i, j + number),
                Order::Rows => (i + number, j),
            };
            if step == 1 {
                // SAFETY: the caller says so.
                unsafe { self.format.load_all(self.place(i, j), line) };
                continue;
            }
            for (row, to) in line.iter_mut().enumerate() {
                // SAFETY: the caller says so.
                *to = unsafe { self.format.load(self.place(i + row, j)) };
            }
        }
    }
}

/// A tile of a product, in 32 bits: `finish` gets the sums, column after column.
///
/// # Safety
/// The operands are memory as large as the tile asks for.
pub unsafe fn multiply(
    a: &Operand,
    b: &Operand,
    depth: usize,
    tile: Tile,
    finish: impl FnOnce(&[f32]),
) {
    let Tile { row, column, rows, columns } = tile;
    packed::multiply_ordered(
        (rows, depth, columns),
        [a.order(), b.order()],
        // SAFETY: the caller says so.
        |k, count, panel| unsafe { a.block((row, k), (rows, count), panel) },
        // SAFETY: the caller says so.
        |k, count, panel| unsafe { b.block((k, column), (count, columns), panel) },
        finish,
    );
}

/// The common dimension up to which sums of products of bytes are exact in 32-bit floats.
const EXACT: usize = 1024;

/// A tile of a product of bytes, whose sums wrap around.
///
/// # Safety
/// As for [`multiply`].
pub unsafe fn multiply_bytes(a: &Operand, b: &Operand, depth: usize, tile: Tile) -> Vec<i32> {
    let Tile { row, column, rows, columns } = tile;
    let mut sums = vec![0i32; rows * columns];
    packed::multiply_blocks(
        (rows, depth, columns),
        (EXACT, [a.order(), b.order()]),
        // SAFETY: the caller says so.
        |k, count, panel| unsafe { a.block((row, k), (rows, count), panel) },
        // SAFETY: the caller says so.
        |k, count, panel| unsafe { b.block((k, column), (count, columns), panel) },
        |product: &[f32]| {
            for (sum, value) in sums.iter_mut().zip(product) {
                *sum = sum.wrapping_add(*value as i32);
            }
        },
    );
    sums
}
