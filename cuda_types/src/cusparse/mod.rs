//! The API of sparse matrices, cuSPARSE (`cusparse.h`).

#[rustfmt::skip]
mod error;
#[allow(unsafe_op_in_unsafe_fn)]
#[rustfmt::skip]
mod generated;

pub use error::{RESULT_NAMES, cusparseError};
pub use generated::*;

/// A file of C's library.
pub type FILE = core::ffi::c_void;

/// The result of a function of cuSPARSE: its value, or the status that the program sees.
pub type CusparseResult<T = ()> = Result<T, cusparseError>;

crate::status::status!(
    cusparseError,
    cusparseStatus_t,
    INVALID_VALUE,
    NOT_SUPPORTED,
    INTERNAL_ERROR
);

#[cfg(test)]
mod tests {
    use super::*;

    // Codes as the manual has them.
    #[test]
    fn results_have_their_codes() {
        assert_eq!(cusparseError::NOT_INITIALIZED.0.get(), 1);
        assert_eq!(cusparseError::INVALID_VALUE.0.get(), 3);
        assert_eq!(cusparseError::NOT_SUPPORTED.0.get(), 10);
        assert_eq!(result_name(cusparseStatus_t(0)), Some(c"CUSPARSE_STATUS_SUCCESS"));
    }
}
