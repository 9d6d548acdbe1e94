//! Addresses that programs pass with their work: nothing is read or written before the work runs.

/// An address of numbers that work reads or writes; it need not be aligned.
#[derive(Debug)]
pub struct Pointer<T>(*mut T);

// SAFETY: an address is a number; who uses it answers for it.
unsafe impl<T> Send for Pointer<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Pointer<T> {}

impl<T> Clone for Pointer<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Pointer<T> {}

impl<T> Pointer<T> {
    /// The place at an address, which may be null.
    pub fn of(place: *const T) -> Self {
        Pointer(place.cast_mut())
    }

    /// The address of one of several in a row.
    pub fn at(self, index: usize) -> *mut T {
        self.0.wrapping_add(index)
    }

    /// The value.
    ///
    /// # Safety
    /// The place may be read.
    pub unsafe fn get(self) -> T {
        // SAFETY: the caller says so.
        unsafe { self.0.read_unaligned() }
    }

    /// Writes a value.
    ///
    /// # Safety
    /// The place may be written.
    pub unsafe fn set(self, value: T) {
        // SAFETY: the caller says so.
        unsafe { self.0.write_unaligned(value) }
    }

    /// Whether there is no place.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Writes a value, unless there is no place.
    ///
    /// # Safety
    /// The place is null or may be written.
    pub unsafe fn set_if_wanted(self, value: T) {
        if !self.is_null() {
            // SAFETY: the caller says so.
            unsafe { self.set(value) }
        }
    }
}

/// Pointers that lie in memory of the device, one for each matrix of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Batch<T> {
    first: *const *const T,
    /// Where there is one matrix after the other instead: elements between them.
    stride: Option<isize>,
}

// SAFETY: addresses are numbers; who reads them answers for them.
unsafe impl<T: Send> Send for Batch<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Batch<T> {}

impl<T> Batch<T> {
    /// Matrices at the addresses that an array holds.
    pub fn array<C>(first: *const *const C) -> Self {
        Batch { first: first.cast(), stride: None }
    }

    /// Matrices at a distance of `stride` elements.
    pub fn strided<C>(first: *const C, stride: i64) -> Self {
        Batch { first: first.cast(), stride: Some(stride as isize) }
    }

    /// The same matrices, of elements of another type.
    pub fn cast<U>(self) -> Batch<U> {
        Batch { first: self.first.cast(), stride: self.stride }
    }

    /// Where the matrix of a number begins.
    ///
    /// # Safety
    /// The array can be read.
    pub unsafe fn at(self, index: usize) -> *const T {
        match self.stride {
            Some(stride) => self.first.cast::<T>().wrapping_offset(stride * index as isize),
            // SAFETY: the caller says so.
            None => unsafe { self.first.add(index).read_unaligned() },
        }
    }
}
