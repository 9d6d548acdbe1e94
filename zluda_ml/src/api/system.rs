//! The machine beside its devices.

use crate::backend::machine::process_name;
use crate::convert::{Out, put_text};
use cuda_types::nvml::{NvmlResult, nvmlError};
use std::ffi::{c_char, c_uint};

/// The path of the process' program, as far as it can be seen; cut where it does not fit.
pub(crate) fn nvmlSystemGetProcessName(
    pid: c_uint,
    name: Out<c_char>,
    length: c_uint,
) -> NvmlResult {
    name.check()?;
    if length == 0 {
        return Err(nvmlError::INVALID_ARGUMENT);
    }
    let text = process_name(pid).ok_or(nvmlError::NOT_FOUND)?;
    let mut end = text.len().min(length as usize - 1);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    put_text(name, length, &text[..end])
}

/// "A unit" is a rack of GPUs.
pub(crate) fn nvmlUnitGetCount(count: Out<c_uint>) -> NvmlResult {
    count.set(0)
}

pub(crate) fn nvmlGetExcludedDeviceCount(count: Out<c_uint>) -> NvmlResult {
    count.set(0)
}
