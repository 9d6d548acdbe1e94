//! The layer between the exported symbols and what they do.

use cuda_types::cudnn8::{CudnnResult, cudnnError, cudnnStatus_t};
use std::sync::atomic::AtomicBool;

pub(crate) use zluda_api::export::Address;

/// Runs an exported function.
pub(crate) fn guard(name: &'static str, call: impl FnOnce() -> CudnnResult) -> cudnnStatus_t {
    zluda_api::export::guard(name, |_| false, call)
}

/// Runs an exported function that the engine has too, whose own line in the log says why it failed.
pub(crate) fn relay(name: &'static str, call: impl FnOnce() -> CudnnResult) -> cudnnStatus_t {
    zluda_api::export::guard(name, |_| true, call)
}

/// Runs an exported function that returns something else than a status.
pub(crate) fn guard_value<T: Plain>(name: &'static str, call: impl FnOnce() -> T) -> T {
    zluda_api::export::guard_value(name, T::NOTHING, call)
}

/// Return types that are no status.
pub(crate) trait Plain {
    const NOTHING: Self;
}

impl Plain for usize {
    const NOTHING: Self = 0;
}

impl Plain for *const std::ffi::c_char {
    const NOTHING: Self = std::ptr::null();
}

/// The answer of every function that is not implemented.
#[cold]
pub(crate) fn not_supported(name: &'static str, logged: &AtomicBool) -> cudnnStatus_t {
    zluda_api::export::not_supported::<cudnnError>(name, logged)
}
