//! The layer between the exported symbols and `api`.

use cuda_types::cufft::{CufftResult, cufftError, cufftResult};
use std::sync::atomic::AtomicBool;

pub(crate) use zluda_api::export::Address;

/// Runs an exported function. None asks for a start of the library.
pub(crate) fn guard(name: &'static str, call: impl FnOnce() -> CufftResult) -> cufftResult {
    zluda_api::export::guard(name, |_| false, call)
}

/// The answer of every function that is not implemented.
#[cold]
pub(crate) fn not_supported(name: &'static str, logged: &AtomicBool) -> cufftResult {
    zluda_api::export::not_supported::<cufftError>(name, logged)
}
