//! Arguments from C: pointers with a meaning, and numbers that have two widths.

use cuda_types::cusolver::{CusolverResult, cusolverError};
use std::ffi::c_int;

zluda_api::conversions!(cusolverError);

/// Functions whose names begin with X have numbers of 64 bits, the others have 32.
impl FromC<c_int> for i64 {
    unsafe fn from_c(c: c_int) -> CusolverResult<Self> {
        Ok(c.into())
    }
}
