//! cuSOLVER (`cusolverDn.h`, `cusolverRf.h`, `cusolverSp.h`).

#[rustfmt::skip]
mod error;
#[allow(unsafe_op_in_unsafe_fn)]
#[rustfmt::skip]
mod generated;

pub use error::{RESULT_NAMES, cusolverError};
pub use generated::*;

/// A file of C's library.
pub type FILE = core::ffi::c_void;

/// The result of a function of cuSOLVER: its value, or the status that the program sees.
pub type CusolverResult<T = ()> = Result<T, cusolverError>;

crate::status::status!(
    cusolverError,
    cusolverStatus_t,
    INVALID_VALUE,
    NOT_SUPPORTED,
    INTERNAL_ERROR
);
