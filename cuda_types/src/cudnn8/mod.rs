//! The API of cuDNN 8 (`cudnn.h` of 8.9). Of what version 9 has too, the statuses alone have other numbers.

#[rustfmt::skip]
mod error;
#[allow(unsafe_op_in_unsafe_fn)]
#[rustfmt::skip]
mod generated;

pub use error::{RESULT_NAMES, cudnnError};
pub use generated::*;

/// The result of a function of cuDNN: its value, or the status that the program sees.
pub type CudnnResult<T = ()> = Result<T, cudnnError>;

crate::status::status!(cudnnError, cudnnStatus_t, BAD_PARAM, NOT_SUPPORTED, INTERNAL_ERROR);
