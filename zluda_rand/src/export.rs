//! The layer between the exported symbols and `api`.

use cuda_types::curand::{CurandResult, curandError, curandStatus_t};
use std::sync::atomic::AtomicBool;

pub(crate) use zluda_api::export::Address;

/// Runs an exported function.
pub(crate) fn guard(name: &'static str, call: impl FnOnce() -> CurandResult) -> curandStatus_t {
    zluda_api::export::guard(name, |_| false, call)
}

/// The answer of every function that is not implemented.
#[cold]
pub(crate) fn not_supported(name: &'static str, logged: &AtomicBool) -> curandStatus_t {
    zluda_api::export::not_supported::<curandError>(name, logged)
}
