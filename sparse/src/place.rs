//! Places in memory: addresses, indices, dense matrices. Who makes one answers for the memory.

use crate::number::Type;

/// An address of numbers, which need not be aligned.
#[derive(Clone, Copy, Debug)]
pub struct Address(pub *mut u8);

// SAFETY: an address is a number; who reads through it answers for it.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

impl Address {
    pub fn of<T>(place: *const T) -> Address {
        Address(place.cast_mut().cast())
    }

    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address of a number of an array.
    #[inline(always)]
    pub fn at<T>(self, index: usize) -> *mut T {
        self.0.cast::<T>().wrapping_add(index)
    }

    /// The address so many numbers of a type further on.
    pub fn skip(self, count: isize, ty: Type) -> Address {
        Address(self.0.wrapping_offset(count * ty.size() as isize))
    }

    /// # Safety
    /// The number can be read.
    #[inline(always)]
    pub unsafe fn get<T: Copy>(self, index: usize) -> T {
        // SAFETY: the caller says so.
        unsafe { self.at::<T>(index).read_unaligned() }
    }

    /// # Safety
    /// The number can be written.
    #[inline(always)]
    pub unsafe fn set<T>(self, index: usize, value: T) {
        // SAFETY: the caller says so.
        unsafe { self.at::<T>(index).write_unaligned(value) }
    }
}

/// An integer of an array of indices.
pub trait Index: Copy + Send + Sync + 'static {
    fn read(self) -> usize;
}

impl Index for u16 {
    #[inline(always)]
    fn read(self) -> usize {
        self.into()
    }
}

impl Index for i32 {
    #[inline(always)]
    fn read(self) -> usize {
        self as isize as usize
    }
}

impl Index for i64 {
    #[inline(always)]
    fn read(self) -> usize {
        self as usize
    }
}

/// The type of indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    U16,
    I32,
    I64,
}

impl Width {
    /// Bytes of an index.
    pub fn size(self) -> usize {
        match self {
            Width::U16 => 2,
            Width::I32 => 4,
            Width::I64 => 8,
        }
    }
}

/// An array of indices, which count from `base`.
#[derive(Clone, Copy, Debug)]
pub struct Indices {
    pub first: Address,
    pub width: Width,
    /// 0 or 1.
    pub base: usize,
}

impl Indices {
    /// Indices of 32 bits.
    pub fn ints(first: *const i32, base: usize) -> Indices {
        Indices { first: Address::of(first), width: Width::I32, base }
    }

    /// The array from an index on; `first` of an array that is not there stays null.
    pub fn skip(self, count: isize) -> Indices {
        let bytes = count * self.width.size() as isize;
        Indices { first: Address(self.first.0.wrapping_offset(bytes)), ..self }
    }

    /// The address of an index.
    pub fn place(self, at: usize) -> *const u8 {
        self.first.at::<u8>(at.wrapping_mul(self.width.size()))
    }

    /// An index, counted from 0; a number that is no index becomes one that is too large.
    ///
    /// # Safety
    /// It can be read.
    #[inline(always)]
    pub unsafe fn get(self, at: usize) -> usize {
        // SAFETY: the caller says so.
        let index = unsafe {
            match self.width {
                Width::U16 => self.first.get::<u16>(at).read(),
                Width::I32 => self.first.get::<i32>(at).read(),
                Width::I64 => self.first.get::<i64>(at).read(),
            }
        };
        index.wrapping_sub(self.base)
    }

    /// Stores an index that counts from 0.
    ///
    /// # Safety
    /// It can be written.
    #[inline(always)]
    pub unsafe fn set(self, at: usize, index: usize) {
        let index = index.wrapping_add(self.base);
        // SAFETY: the caller says so.
        unsafe {
            match self.width {
                Width::U16 => self.first.set(at, index as u16),
                Width::I32 => self.first.set(at, index as i32),
                Width::I64 => self.first.set(at, index as i64),
            }
        }
    }
}

/// A dense matrix: element (i, j) lies `i * row + j * column` numbers from the first one. A vector is one column.
#[derive(Clone, Copy, Debug)]
pub struct Dense {
    pub first: Address,
    pub ty: Type,
    pub rows: usize,
    pub columns: usize,
    pub row: isize,
    pub column: isize,
    /// Numbers from a matrix of a batch to the next.
    pub batch: isize,
}

impl Dense {
    /// A vector without gaps.
    pub fn vector(first: Address, ty: Type, size: usize) -> Dense {
        Dense { first, ty, rows: size, columns: 1, row: 1, column: size as isize, batch: 0 }
    }

    pub fn transposed(self) -> Dense {
        Dense { rows: self.columns, columns: self.rows, row: self.column, column: self.row, ..self }
    }

    /// The matrix of a number of a batch.
    pub fn of_batch(self, number: usize) -> Dense {
        Dense { first: self.first.skip(self.batch * number as isize, self.ty), ..self }
    }

    /// The address of an element.
    #[inline(always)]
    pub fn place<T>(&self, i: usize, j: usize) -> *mut T {
        let elements = (i as isize).wrapping_mul(self.row) + j as isize * self.column;
        self.first.0.cast::<T>().wrapping_offset(elements)
    }

    /// # Safety
    /// The element is of this type and can be read.
    #[inline(always)]
    pub unsafe fn get<T: Copy>(&self, i: usize, j: usize) -> T {
        // SAFETY: the caller says so.
        unsafe { self.place::<T>(i, j).read_unaligned() }
    }

    /// # Safety
    /// The element is of this type and can be written.
    #[inline(always)]
    pub unsafe fn set<T>(&self, i: usize, j: usize, value: T) {
        // SAFETY: the caller says so.
        unsafe { self.place::<T>(i, j).write_unaligned(value) }
    }
}
