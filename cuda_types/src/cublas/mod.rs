//! cuBLAS and cuBLASLt (`cublas_api.h`, `cublasLt.h`).

#[rustfmt::skip]
mod error;
#[allow(unsafe_op_in_unsafe_fn)]
#[rustfmt::skip]
mod generated;

pub use error::{RESULT_NAMES, cublasError};
pub use generated::*;

/// A file of C's library.
pub type FILE = core::ffi::c_void;

/// The result of a function of cuBLAS: its value, or the status that the program sees.
pub type CublasResult<T = ()> = Result<T, cublasError>;

crate::status::status!(cublasError, cublasStatus_t, INVALID_VALUE, NOT_SUPPORTED, INTERNAL_ERROR);
