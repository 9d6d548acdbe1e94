//! The layer between the exported symbols and `api`.

use crate::devices;
use cuda_types::nvml::{NvmlResult, nvmlError, nvmlReturn_t};
use std::ffi::c_char;
use std::sync::atomic::AtomicBool;

pub(crate) use zluda_api::export::Address;

/// Runs an exported function that asks for an initialised library.
pub(crate) fn guard(name: &'static str, call: impl FnOnce() -> NvmlResult) -> nvmlReturn_t {
    guard_before_init(name, || {
        devices::check_initialized()?;
        call()
    })
}

/// Runs an exported function.
pub(crate) fn guard_before_init(
    name: &'static str,
    call: impl FnOnce() -> NvmlResult,
) -> nvmlReturn_t {
    // Tools ask for everything, and take "not supported" for an answer.
    zluda_api::export::guard(name, |error| error == nvmlError::NOT_SUPPORTED, call)
}

/// Runs an exported function that returns text.
pub(crate) fn guard_value(
    name: &'static str,
    call: impl FnOnce() -> *const c_char,
) -> *const c_char {
    zluda_api::export::guard_value(name, std::ptr::null(), call)
}

/// The answer of every function that is not implemented.
#[cold]
pub(crate) fn not_supported(name: &'static str, logged: &AtomicBool) -> nvmlReturn_t {
    zluda_api::export::not_supported::<nvmlError>(name, logged)
}
