//! Arguments from C: pointers with a meaning, and numbers that have two widths.

use cuda_types::cublas::{CublasResult, cublasError};
use std::ffi::c_int;

zluda_api::conversions!(cublasError);

/// Each function exists with numbers of 32 and of 64 bits.
impl FromC<c_int> for i64 {
    unsafe fn from_c(c: c_int) -> CublasResult<Self> {
        Ok(c.into())
    }
}
