//! Where values go: memory that several threads fill, each its own part.

/// Memory for values.
#[derive(Clone, Copy)]
pub struct OutputBuffer<T> {
    start: *mut T,
    length: usize,
}

// SAFETY: who makes one says that the memory may be written from any thread, and no two parts of a call write one value.
unsafe impl<T: Send> Send for OutputBuffer<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for OutputBuffer<T> {}

impl<T: Copy> OutputBuffer<T> {
    /// Memory for `length` values at an address.
    ///
    /// # Safety
    /// The memory can be written until the last value is there.
    pub unsafe fn new(start: *mut T, length: usize) -> Self {
        OutputBuffer { start, length }
    }

    /// How many values there are.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Stores values from an index on; those beyond the length are dropped.
    #[inline(always)]
    pub fn put<const N: usize>(&self, index: usize, values: [T; N]) {
        if index < self.length && self.length - index >= N {
            // SAFETY: all of them are inside; the caller of `new` says that they can be written.
            unsafe { self.start.add(index).cast::<[T; N]>().write_unaligned(values) }
        } else {
            for (i, value) in values.into_iter().enumerate() {
                self.put_one(index.wrapping_add(i), value);
            }
        }
    }

    /// Stores a value, if the length has it.
    #[inline(always)]
    pub fn put_one(&self, index: usize, value: T) {
        if index < self.length {
            // SAFETY: it is inside; the caller of `new` says that it can be written.
            unsafe { self.start.add(index).write_unaligned(value) }
        }
    }
}
