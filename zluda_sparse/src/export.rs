//! The layer between the exported symbols and `api`.

use cuda_types::cusparse::*;
use std::ffi::c_char;
use std::sync::atomic::AtomicBool;

pub(crate) use zluda_api::export::Address;

/// Runs an exported function.
pub(crate) fn guard(name: &'static str, call: impl FnOnce() -> CusparseResult) -> cusparseStatus_t {
    zluda_api::export::guard(name, |error| error == cusparseError::NOT_SUPPORTED, call)
}

/// Runs an exported function that returns something else than a status.
pub(crate) fn guard_value<T: Plain>(name: &'static str, call: impl FnOnce() -> T) -> T {
    zluda_api::export::guard_value(name, T::NOTHING, call)
}

/// Return types that are no status.
pub(crate) trait Plain {
    const NOTHING: Self;
}

impl Plain for *const c_char {
    const NOTHING: Self = std::ptr::null();
}

macro_rules! plain {
    ($($ty:ident),*) => {$(
        impl Plain for $ty {
            const NOTHING: Self = $ty(u32::MAX);
        }
    )*};
}

plain!(cusparseMatrixType_t, cusparseFillMode_t, cusparseDiagType_t, cusparseIndexBase_t);

/// The answer of every function that is not implemented.
#[cold]
pub(crate) fn not_supported(name: &'static str, logged: &AtomicBool) -> cusparseStatus_t {
    zluda_api::export::not_supported::<cusparseError>(name, logged)
}
