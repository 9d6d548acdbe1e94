//! Arguments from C: pointers with a meaning, and handles that have been checked.

use cuda_types::nvml::{NvmlResult, nvmlError};
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
