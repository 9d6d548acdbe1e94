//! Arguments from C: pointers with a meaning, and handles that have been checked.

use cuda_types::nvml::{NvmlResult, nvmlError, struct_version};
use std::ffi::{c_char, c_uint};

zluda_api::conversions!(nvmlError);

/// Stores text with its NUL in a caller's buffer: `INSUFFICIENT_SIZE` where it does not fit.
pub(crate) fn put_text(to: Out<c_char>, length: c_uint, text: &str) -> NvmlResult {
    to.check()?;
    let length = length as usize;
    if length <= text.len() {
        return Err(nvmlError::INSUFFICIENT_SIZE);
    }
    to.set_text(text.as_bytes(), length);
    Ok(())
}

/// Stores a value; `NOT_SUPPORTED` where the device has none.
pub(crate) fn answer<T>(to: Out<T>, value: Option<T>) -> NvmlResult {
    to.check()?;
    to.set(value.ok_or(nvmlError::NOT_SUPPORTED)?)
}

/// The elements of a caller's array whose length stands beside it: `INSUFFICIENT_SIZE`, and the length that is needed, where
/// there is not enough room.
pub(crate) fn put_array<T>(
    count: *mut c_uint,
    array: Out<T>,
    values: impl ExactSizeIterator<Item = T>,
) -> NvmlResult {
    let room: c_uint = In::of(count).get()?;
    let needed = values.len() as c_uint;
    Out::of(count).set(needed)?;
    if needed == 0 {
        return Ok(());
    }
    if room < needed {
        return Err(nvmlError::INSUFFICIENT_SIZE);
    }
    array.check()?;
    array.set_all(values, needed as usize);
    Ok(())
}

/// The elements of a caller's array that has room for `count`, which the caller may leave 0 to be told how many there
/// are. What does not fit is left out.
pub(crate) fn put_some<T>(
    count: *mut c_uint,
    array: Out<T>,
    values: impl ExactSizeIterator<Item = T>,
) -> NvmlResult {
    let room: c_uint = In::of(count).get()?;
    let there = values.len() as c_uint;
    if room == 0 {
        return Out::of(count).set(there);
    }
    array.check()?;
    let stored = room.min(there);
    array.set_all(values, stored as usize);
    Out::of(count).set(stored)
}

/// A structure that starts with its version, which is this one: `ARGUMENT_VERSION_MISMATCH` for others.
pub(crate) fn versioned<T: Copy>(place: *const T, version: u32) -> NvmlResult<T> {
    let given: c_uint = In::of(place.cast::<c_uint>()).get()?;
    if given != struct_version::<T>(version) {
        return Err(nvmlError::ARGUMENT_VERSION_MISMATCH);
    }
    In::of(place).get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_asks_how_many_there_are_and_gets_as_many_as_fit() {
        let asked = |room: c_uint| {
            let (mut count, mut array) = (room, [9; 4]);
            let values = [1, 2, 3].into_iter();
            put_some(&raw mut count, Out::of(array.as_mut_ptr()), values).unwrap();
            (count, array)
        };
        assert_eq!(asked(0), (3, [9, 9, 9, 9]));
        assert_eq!(asked(2), (2, [1, 2, 9, 9]));
        assert_eq!(asked(3), (3, [1, 2, 3, 9]));
        assert_eq!(asked(4), (3, [1, 2, 3, 9]));
        let nowhere = std::ptr::null_mut;
        let mut count = 1;
        let none = || [0].into_iter();
        let wrong = Err(nvmlError::INVALID_ARGUMENT);
        assert_eq!(put_some(&raw mut count, Out::of(nowhere()), none()), wrong);
        assert_eq!(put_some(nowhere().cast(), Out::of(&raw mut count), none().map(|_| 0)), wrong);
    }
}
