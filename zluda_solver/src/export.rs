//! The layer between the exported symbols and `api`.

use cuda_types::cusolver::{CusolverResult, cusolverError, cusolverStatus_t};
use std::sync::atomic::AtomicBool;

pub(crate) use zluda_api::export::Address;

/// Runs an exported function.
pub(crate) fn guard(name: &'static str, call: impl FnOnce() -> CusolverResult) -> cusolverStatus_t {
    zluda_api::export::guard(name, |error| error == cusolverError::NOT_SUPPORTED, call)
}

/// The answer of every function that is not implemented.
#[cold]
pub(crate) fn not_supported(name: &'static str, logged: &AtomicBool) -> cusolverStatus_t {
    zluda_api::export::not_supported::<cusolverError>(name, logged)
}
