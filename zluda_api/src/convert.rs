//! Arguments from C: pointers with a meaning. `E` is the error of the API that they are arguments of.

use cuda_types::status::ApiError;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;

/// Defines, for the error of an API, the crate's trait `FromC`, by which exported functions convert their arguments, and
/// `Out`, `In` and `Text`. Handles get an implementation of the trait where their objects are defined.
#[macro_export]
macro_rules! conversions {
    ($error:ty) => {
        /// An argument of the API made from what the caller passed, or the error that the caller gets.
        pub(crate) trait FromC<C>: Sized {
            /// # Safety
            /// A pointer is null or points to what the API asks for, for as long as the call lasts.
            unsafe fn from_c(c: C) -> Result<Self, $error>;
        }

        /// The place for a result, of the caller's; null where it wants none.
        pub(crate) type Out<T> = $crate::convert::Out<T, $error>;
        /// A value behind a pointer.
        pub(crate) type In<T> = $crate::convert::In<T, $error>;
        /// NUL-terminated text.
        pub(crate) type Text<'a> = $crate::convert::Text<'a, $error>;

        impl<T> FromC<T> for T {
            unsafe fn from_c(c: T) -> Result<Self, $error> {
                Ok(c)
            }
        }

        impl<T> FromC<*mut T> for Out<T> {
            unsafe fn from_c(c: *mut T) -> Result<Self, $error> {
                Ok(Out::of(c))
            }
        }

        impl<T> FromC<*const T> for In<T> {
            unsafe fn from_c(c: *const T) -> Result<Self, $error> {
                Ok(In::of(c))
            }
        }

        impl<T> FromC<*mut T> for In<T> {
            unsafe fn from_c(c: *mut T) -> Result<Self, $error> {
                Ok(In::of(c))
            }
        }

        impl FromC<*const std::ffi::c_char> for Text<'_> {
            unsafe fn from_c(c: *const std::ffi::c_char) -> Result<Self, $error> {
                // SAFETY: the caller says so.
                Ok(unsafe { Text::of(c) })
            }
        }
    };
}

/// The place for a result, of the caller's; null where it wants none.
#[derive(Clone, Copy)]
pub struct Out<T, E>(*mut T, PhantomData<E>);

impl<T, E: ApiError> Out<T, E> {
    /// A place that the API asks the caller for, or null.
    pub fn of(place: *mut T) -> Self {
        Out(place, PhantomData)
    }

    /// The place of a caller who wants no result.
    pub fn none() -> Self {
        Out(std::ptr::null_mut(), PhantomData)
    }

    /// The API's error for a wrong argument where the caller passed null. To be called before anything is created.
    pub fn check(&self) -> Result<(), E> {
        if self.0.is_null() { Err(E::INVALID_ARGUMENT) } else { Ok(()) }
    }

    /// Stores the result; the API's error for a wrong argument where the caller passed null.
    pub fn set(&self, value: T) -> Result<(), E> {
        self.check()?;
        self.set_if_wanted(value);
        Ok(())
    }

    /// Stores the result, unless the caller passed null.
    pub fn set_if_wanted(&self, value: T) {
        if !self.0.is_null() {
            // SAFETY: the place is one that the API asks for.
            unsafe { self.0.write_unaligned(value) }
        }
    }

    /// Whether the caller wants no result.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Stores up to `count` results in an array.
    pub fn set_all(&self, values: impl IntoIterator<Item = T>, count: usize) {
        for (i, value) in values.into_iter().take(count).enumerate() {
            // SAFETY: the place is one that the API asks for, an array; `count` is its length.
            unsafe { self.0.add(i).write_unaligned(value) }
        }
    }
}

impl<E: ApiError> Out<c_void, E> {
    /// Room for a value of a type that other arguments tell.
    pub fn cast<T>(self) -> Out<T, E> {
        Out(self.0.cast(), PhantomData)
    }
}

impl<E: ApiError> Out<c_char, E> {
    /// Stores text with its NUL in a buffer of `size` bytes, cut where it does not fit.
    pub fn set_text(&self, text: &[u8], size: usize) {
        if let Some(room) = size.checked_sub(1) {
            let length = text.len().min(room);
            self.set_all(text[..length].iter().map(|byte| *byte as c_char).chain([0]), size);
        }
    }
}

/// A value behind a pointer.
#[derive(Clone, Copy)]
pub struct In<T, E>(*const T, PhantomData<E>);

impl<E: ApiError> In<c_void, E> {
    /// A value of a type that other arguments tell.
    pub fn cast<T>(self) -> In<T, E> {
        In(self.0.cast(), PhantomData)
    }
}

impl<T, E: ApiError> In<T, E> {
    /// A value at a place that the API asks the caller for, or null.
    pub fn of(place: *const T) -> Self {
        In(place, PhantomData)
    }

    /// The argument of a caller who leaves it out.
    pub fn none() -> Self {
        In(std::ptr::null(), PhantomData)
    }
}

impl<T, E: ApiError> In<T, E> {
    /// The place, where an API answers in an argument that its type says it only reads.
    pub fn place(&self) -> *mut T {
        self.0.cast_mut()
    }

    /// The API's error for a wrong argument where the caller passed null.
    pub fn check(&self) -> Result<(), E> {
        if self.0.is_null() { Err(E::INVALID_ARGUMENT) } else { Ok(()) }
    }
}

impl<T: Copy, E: ApiError> In<T, E> {
    /// The value; the API's error for a wrong argument where the caller passed null.
    pub fn get(&self) -> Result<T, E> {
        self.optional().ok_or(E::INVALID_ARGUMENT)
    }

    /// The value; none where the caller passed null.
    pub fn optional(&self) -> Option<T> {
        // SAFETY: the place is one that the API asks for.
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// The values of an array of `count`; the API's error for a wrong argument where the caller passed null and `count` is
    /// not 0, or where there are more than `most`, so that a wrong count is not taken for memory to be read.
    pub fn array(&self, count: usize, most: usize) -> Result<Vec<T>, E> {
        if count > most || (count != 0 && self.0.is_null()) {
            return Err(E::INVALID_ARGUMENT);
        }
        // SAFETY: the place is one that the API asks for, an array; `count` is its length.
        Ok((0..count).map(|i| unsafe { self.0.add(i).read_unaligned() }).collect())
    }
}

/// NUL-terminated text.
#[derive(Clone, Copy)]
pub struct Text<'a, E>(Option<&'a CStr>, PhantomData<E>);

impl<'a, E: ApiError> Text<'a, E> {
    /// Text at a place that the caller passed, or null.
    ///
    /// # Safety
    /// Text ends with NUL, and stays for as long as `'a`.
    pub unsafe fn of(place: *const c_char) -> Self {
        // SAFETY: the caller says so.
        Text((!place.is_null()).then(|| unsafe { CStr::from_ptr(place) }), PhantomData)
    }

    /// The text; the API's error for a wrong argument where the caller passed null.
    pub fn get(self) -> Result<&'a CStr, E> {
        self.0.ok_or(E::INVALID_ARGUMENT)
    }
}
