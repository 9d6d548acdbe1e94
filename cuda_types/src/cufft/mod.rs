//! The API of cuFFT (`cufft.h`, `cufftXt.h`).

#[rustfmt::skip]
mod error;
#[allow(unsafe_op_in_unsafe_fn)]
#[rustfmt::skip]
mod generated;

pub use error::{RESULT_NAMES, cufftError};
pub use generated::*;

/// The result of a function of cuFFT: its value, or the code that the program sees.
pub type CufftResult<T = ()> = Result<T, cufftError>;

crate::status::status!(cufftError, cufftResult, INVALID_VALUE, NOT_SUPPORTED, INTERNAL_ERROR);

#[cfg(test)]
mod tests {
    use super::*;

    // Codes as the manual has them.
    #[test]
    fn results_have_their_codes() {
        assert_eq!(cufftError::INVALID_PLAN.0.get(), 1);
        assert_eq!(cufftError::INVALID_SIZE.0.get(), 8);
        assert_eq!(cufftError::NOT_SUPPORTED.0.get(), 16);
        assert_eq!(result_name(cufftResult(0)), Some(c"CUFFT_SUCCESS"));
    }
}
