//! Handles, what is set in them, and what the library says of itself.

use crate::convert::{INVALID, Out, check};
use crate::handle::{Generic, Handle};
use cuda_types::cusparse::*;
use std::ffi::{c_char, c_int};

pub(crate) fn create(handle: Out<cusparseHandle_t>) -> CusparseResult {
    handle.check()?;
    handle.set(std::ptr::without_provenance_mut(Handle::create()? as usize))
}

/// There is none to end where it is null.
pub(crate) fn destroy(handle: cusparseHandle_t) -> CusparseResult {
    if handle.is_null() { Ok(()) } else { Handle::destroy(handle as u64) }
}

pub(crate) fn version(_: Generic, version: Out<c_int>) -> CusparseResult {
    version.set(CUSPARSE_VERSION as c_int)
}

pub(crate) fn property(which: libraryPropertyType, value: Out<c_int>) -> CusparseResult {
    let number = match which {
        libraryPropertyType_t::MAJOR_VERSION => CUSPARSE_VER_MAJOR,
        libraryPropertyType_t::MINOR_VERSION => CUSPARSE_VER_MINOR,
        libraryPropertyType_t::PATCH_LEVEL => CUSPARSE_VER_PATCH,
        _ => return Err(INVALID),
    };
    value.set(number as c_int)
}

pub(crate) fn error_name(status: cusparseStatus_t) -> *const c_char {
    result_name(status).unwrap_or(c"unrecognized error code").as_ptr()
}

/// Texts as NVIDIA's library has them.
pub(crate) fn error_text(status: cusparseStatus_t) -> *const c_char {
    use cusparseStatus_t as S;
    let text = match status {
        S::CUSPARSE_STATUS_SUCCESS => c"success",
        S::CUSPARSE_STATUS_NOT_INITIALIZED => c"initialization error",
        S::CUSPARSE_STATUS_ALLOC_FAILED => c"out of memory",
        S::CUSPARSE_STATUS_INVALID_VALUE => c"invalid value",
        S::CUSPARSE_STATUS_ARCH_MISMATCH => c"architecture mismatch",
        S::CUSPARSE_STATUS_MAPPING_ERROR => c"texture memory mapping error",
        S::CUSPARSE_STATUS_EXECUTION_FAILED => c"kernel launch failure",
        S::CUSPARSE_STATUS_INTERNAL_ERROR => c"internal error",
        S::CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED => c"matrix type not supported",
        S::CUSPARSE_STATUS_ZERO_PIVOT => c"zero pivot",
        S::CUSPARSE_STATUS_NOT_SUPPORTED => c"operation not supported",
        S::CUSPARSE_STATUS_INSUFFICIENT_RESOURCES => c"insufficient resources",
        _ => c"unrecognized error code",
    };
    text.as_ptr()
}

/// The stream is looked at when something is put into it.
pub(crate) fn set_stream(handle: Generic, stream: cudaStream_t) -> CusparseResult {
    handle.change(|settings| settings.stream = stream.cast());
    Ok(())
}

pub(crate) fn get_stream(handle: Generic, stream: Out<cudaStream_t>) -> CusparseResult {
    stream.set(handle.settings().stream.cast())
}

pub(crate) fn set_pointer_mode(handle: Generic, mode: cusparsePointerMode_t) -> CusparseResult {
    check(mode.0 <= 1)?;
    handle.change(|settings| settings.pointer_mode = mode);
    Ok(())
}

pub(crate) fn get_pointer_mode(
    handle: Generic,
    mode: Out<cusparsePointerMode_t>,
) -> CusparseResult {
    mode.set(handle.settings().pointer_mode)
}

// The log is ZLUDA's own.

pub(crate) fn log_call(_: cusparseLoggerCallback_t) -> CusparseResult {
    Ok(())
}

pub(crate) fn log_file<T>(_: *mut T) -> CusparseResult {
    Ok(())
}

pub(crate) fn log_open(_: *const c_char) -> CusparseResult {
    Ok(())
}

pub(crate) fn log_level(level: c_int) -> CusparseResult {
    check((0..=6).contains(&level))
}

pub(crate) fn log_mask(_: c_int) -> CusparseResult {
    Ok(())
}

pub(crate) fn log_off() -> CusparseResult {
    Ok(())
}
