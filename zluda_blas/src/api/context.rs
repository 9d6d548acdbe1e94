//! Handles and what is set in them.

use crate::convert::{FromC, Out};
use crate::device::{convert, driver};
use crate::handle::Handle;
use crate::number::{INVALID, check};
use cuda_types::cublas::*;
use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

/// The version that is told: that of the headers.
pub(crate) const VERSION: c_int = CUBLAS_VERSION as c_int;

pub(crate) fn create(handle: Out<cublasHandle_t>) -> CublasResult {
    handle.check()?;
    handle.set(std::ptr::without_provenance_mut(Handle::create()? as usize))
}

pub(crate) fn destroy(handle: cublasHandle_t) -> CublasResult {
    // SAFETY: a handle is a number, which is checked.
    let context: Arc<Handle> = unsafe { FromC::from_c(handle) }?;
    // Its memory may be the program's next: what was asked for is done before.
    let finished = driver()?.finish(context.settings().stream).map_err(convert);
    Handle::destroy(handle as u64)?;
    finished
}

pub(crate) fn version(handle: cublasHandle_t, version: Out<c_int>) -> CublasResult {
    let _ = handle;
    version.set(VERSION)
}

pub(crate) fn property(which: libraryPropertyType, value: Out<c_int>) -> CublasResult {
    value.check()?;
    value.set(match which {
        libraryPropertyType_t::MAJOR_VERSION => CUBLAS_VER_MAJOR as c_int,
        libraryPropertyType_t::MINOR_VERSION => CUBLAS_VER_MINOR as c_int,
        libraryPropertyType_t::PATCH_LEVEL => CUBLAS_VER_PATCH as c_int,
        _ => return Err(INVALID),
    })
}

pub(crate) fn cudart_version() -> usize {
    zluda_api::driver::VERSION as usize
}

pub(crate) fn set_stream(handle: Arc<Handle>, stream: cudaStream_t) -> CublasResult {
    handle.change(|settings| settings.stream = stream.cast());
    Ok(())
}

pub(crate) fn get_stream(handle: Arc<Handle>, stream: Out<cudaStream_t>) -> CublasResult {
    stream.set(handle.settings().stream.cast())
}

/// The workspace is not needed; it has to be aligned as the manual says.
pub(crate) fn set_workspace(_: Arc<Handle>, workspace: *mut c_void, _bytes: usize) -> CublasResult {
    check(workspace.addr().is_multiple_of(256))
}

/// Defines the functions that set and tell a mode.
macro_rules! modes {
    ($($set:ident, $get:ident: $ty:ident in $field:ident, $known:expr;)*) => {$(
        pub(crate) fn $set(handle: Arc<Handle>, value: $ty) -> CublasResult {
            let known: fn($ty) -> bool = $known;
            check(known(value))?;
            handle.change(|settings| settings.$field = value);
            Ok(())
        }

        pub(crate) fn $get(handle: Arc<Handle>, value: Out<$ty>) -> CublasResult {
            value.set(handle.settings().$field)
        }
    )*};
}

modes! {
    set_pointer_mode, get_pointer_mode: cublasPointerMode_t in pointer_mode, |mode| mode.0 <= 1;
    set_atomics_mode, get_atomics_mode: cublasAtomicsMode_t in atomics_mode, |mode| mode.0 <= 1;
    // Results are as exact as the types of the operands allow in each of them.
    set_math_mode, get_math_mode: cublasMath_t in math_mode, |mode| {
        mode.0 < 32
    };
    set_multiprocessors, get_multiprocessors: c_int in multiprocessors, |count| count >= 0;
    set_emulation, get_emulation: cublasEmulationStrategy_t in emulation, |strategy| strategy.0 <= 2;
    // Nothing is emulated: products have the precision of their numbers, which no emulation exceeds.
    set_special_values, get_special_values: cudaEmulationSpecialValuesSupport in special_values, |mask| {
        mask.0 <= 0xffff
    };
    set_mantissa_control, get_mantissa_control: cudaEmulationMantissaControl in mantissa_control, |control| {
        control.0 <= 1
    };
    set_most_mantissa_bits, get_most_mantissa_bits: c_int in most_mantissa_bits, |count| count >= 0;
    set_mantissa_bit_offset, get_mantissa_bit_offset: c_int in mantissa_bit_offset, |_| true;
}

pub(crate) fn set_mantissa_bit_count(handle: Arc<Handle>, place: *mut c_int) -> CublasResult {
    handle.change(|settings| settings.mantissa_bit_count = place.expose_provenance());
    Ok(())
}

pub(crate) fn get_mantissa_bit_count(handle: Arc<Handle>, place: Out<*mut c_int>) -> CublasResult {
    place.set(std::ptr::with_exposed_provenance_mut(handle.settings().mantissa_bit_count))
}

pub(crate) fn status_name(status: cublasStatus_t) -> *const c_char {
    result_name(status).unwrap_or(c"CUBLAS_STATUS_UNKNOWN").as_ptr()
}

pub(crate) fn status_text(status: cublasStatus_t) -> *const c_char {
    use cublasStatus_t as S;
    let text = match status {
        S::CUBLAS_STATUS_SUCCESS => c"success",
        S::CUBLAS_STATUS_NOT_INITIALIZED => c"the library was not initialized",
        S::CUBLAS_STATUS_ALLOC_FAILED => c"the resource allocation failed",
        S::CUBLAS_STATUS_INVALID_VALUE => {
            c"an unsupported value or parameter was passed to the function"
        }
        S::CUBLAS_STATUS_ARCH_MISMATCH => {
            c"the function requires an architectural feature absent from the architecture of the device"
        }
        S::CUBLAS_STATUS_MAPPING_ERROR => c"an access to GPU memory space failed",
        S::CUBLAS_STATUS_EXECUTION_FAILED => c"the function failed to launch on the GPU",
        S::CUBLAS_STATUS_INTERNAL_ERROR => c"an internal operation failed",
        S::CUBLAS_STATUS_NOT_SUPPORTED => c"the functionality requested is not supported",
        S::CUBLAS_STATUS_LICENSE_ERROR => c"the functionality requested requires some license",
        _ => c"unknown status",
    };
    text.as_ptr()
}

/// The log is ZLUDA's own.
pub(crate) fn logger(
    _on: c_int,
    _to_output: c_int,
    _to_error: c_int,
    _file: *const c_char,
) -> CublasResult {
    Ok(())
}
