//! The API of random numbers, cuRAND (`curand.h`).

#[rustfmt::skip]
mod error;
#[allow(unsafe_op_in_unsafe_fn)]
#[rustfmt::skip]
mod generated;

pub use error::{RESULT_NAMES, curandError};
pub use generated::*;

/// The result of a function of cuRAND: its value, or the code that the program sees.
pub type CurandResult<T = ()> = Result<T, curandError>;

crate::status::status!(curandError, curandStatus_t, OUT_OF_RANGE, TYPE_ERROR, INTERNAL_ERROR);

#[cfg(test)]
mod tests {
    use super::*;

    // Codes as NVIDIA's library answers.
    #[test]
    fn results_have_their_codes() {
        assert_eq!(curandError::NOT_INITIALIZED.0.get(), 101);
        assert_eq!(curandError::TYPE_ERROR.0.get(), 103);
        assert_eq!(curandError::OUT_OF_RANGE.0.get(), 104);
        assert_eq!(curandError::LENGTH_NOT_MULTIPLE.0.get(), 105);
        assert_eq!(result_name(curandStatus_t(0)), Some(c"CURAND_STATUS_SUCCESS"));
    }
}
