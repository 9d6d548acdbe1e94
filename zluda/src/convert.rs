//! Arguments from C: pointers with a meaning, and handles that have been checked.

use cuda_types::cuda::{CUerror, CUres};
use std::ffi::{CStr, c_char, c_void};

/// An argument of the API made from what the caller passed, or the error that the caller gets.
pub(crate) trait FromC<C>: Sized {
    /// # Safety
    /// A pointer is null or points to what the API asks for, for as long as the call lasts.
    unsafe fn from_c(c: C) -> CUres<Self>;
}

impl<T> FromC<T> for T {
    unsafe fn from_c(c: T) -> CUres<Self> {
        Ok(c)
    }
}

/// The place for a result, of the caller's; null where it wants none.
#[derive(Clone, Copy)]
pub(crate) struct Out<T>(*mut T);

impl<T> FromC<*mut T> for Out<T> {
    unsafe fn from_c(c: *mut T) -> CUres<Self> {
        Ok(Out(c))
    }
}

impl<T> Out<T> {
    /// A place that is known to be one.
    pub(crate) fn of(place: *mut T) -> Self {
        Out(place)
    }

    /// The place of a caller who wants no result.
    pub(crate) fn none() -> Self {
        Out(std::ptr::null_mut())
    }

    /// `INVALID_VALUE` where the caller passed null. To be called before anything is created.
    pub(crate) fn check(&self) -> CUres {
        if self.0.is_null() { Err(CUerror::INVALID_VALUE) } else { Ok(()) }
    }

    /// Stores the result; `INVALID_VALUE` where the caller passed null.
    pub(crate) fn set(&self, value: T) -> CUres {
        self.check()?;
        self.set_if_wanted(value);
        Ok(())
    }

    /// Stores the result, unless the caller passed null.
    pub(crate) fn set_if_wanted(&self, value: T) {
        if !self.0.is_null() {
            // SAFETY: `from_c`'s caller says so.
            unsafe { self.0.write_unaligned(value) }
        }
    }

    /// Whether the caller wants no result.
    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Stores up to `count` results in an array.
    pub(crate) fn set_all(&self, values: impl IntoIterator<Item = T>, count: usize) {
        for (i, value) in values.into_iter().take(count).enumerate() {
            // SAFETY: `from_c`'s caller says that the array is there; `count` is its length.
            unsafe { self.0.add(i).write_unaligned(value) }
        }
    }
}

impl Out<c_void> {
    /// Room for a value of a type that other arguments tell.
    pub(crate) fn cast<T>(self) -> Out<T> {
        Out(self.0.cast())
    }
}

impl Out<c_char> {
    /// Stores text with its NUL in a buffer of `size` bytes, cut where it does not fit.
    pub(crate) fn set_text(&self, text: &[u8], size: usize) {
        if let Some(room) = size.checked_sub(1) {
            let length = text.len().min(room);
            self.set_all(text[..length].iter().map(|byte| *byte as c_char).chain([0]), size);
        }
    }
}

/// A value behind a pointer.
#[derive(Clone, Copy)]
pub(crate) struct In<T>(*const T);

impl<T> FromC<*const T> for In<T> {
    unsafe fn from_c(c: *const T) -> CUres<Self> {
        Ok(In(c))
    }
}

impl<T> FromC<*mut T> for In<T> {
    unsafe fn from_c(c: *mut T) -> CUres<Self> {
        Ok(In(c))
    }
}

impl In<c_void> {
    /// A value of a type that other arguments tell.
    pub(crate) fn cast<T>(self) -> In<T> {
        In(self.0.cast())
    }
}

impl<T> In<T> {
    /// A value at a place that the caller passed, or null.
    pub(crate) fn of(place: *const T) -> Self {
        In(place)
    }

    /// The argument of a caller who leaves it out.
    pub(crate) fn none() -> Self {
        In(std::ptr::null())
    }
}

impl<T: Copy> In<T> {
    /// The value; `INVALID_VALUE` where the caller passed null.
    pub(crate) fn get(&self) -> CUres<T> {
        self.optional().ok_or(CUerror::INVALID_VALUE)
    }

    /// The value; none where the caller passed null.
    pub(crate) fn optional(&self) -> Option<T> {
        // SAFETY: `from_c`'s caller says so.
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// The values of an array of `count`; `INVALID_VALUE` where the caller passed null and `count` is not 0,
    /// or where there are more than `most`, so that a wrong count is not taken for memory to be read.
    pub(crate) fn array(&self, count: usize, most: usize) -> CUres<Vec<T>> {
        if count > most || (count != 0 && self.0.is_null()) {
            return Err(CUerror::INVALID_VALUE);
        }
        // SAFETY: `from_c`'s caller says that the array is there; `count` is its length.
        Ok((0..count).map(|i| unsafe { self.0.add(i).read_unaligned() }).collect())
    }
}

/// NUL-terminated text.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a>(Option<&'a CStr>);

impl FromC<*const c_char> for Text<'_> {
    unsafe fn from_c(c: *const c_char) -> CUres<Self> {
        // SAFETY: the caller says so.
        Ok(Text((!c.is_null()).then(|| unsafe { CStr::from_ptr(c) })))
    }
}

impl<'a> Text<'a> {
    /// The text; `INVALID_VALUE` where the caller passed null.
    pub(crate) fn get(self) -> CUres<&'a CStr> {
        self.0.ok_or(CUerror::INVALID_VALUE)
    }
}
