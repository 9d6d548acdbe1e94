//! Numbers of the API as [`dense`] has them.

use cuda_types::cusolver::*;
use dense::{Complex, Scalar};
use std::ffi::c_int;

/// A number of the API: one of ours has the same bytes.
pub(crate) trait Number: Copy + 'static {
    type Own: spectral::Number;
}

impl Number for f32 {
    type Own = f32;
}
impl Number for f64 {
    type Own = f64;
}
impl Number for cuComplex {
    type Own = Complex<f32>;
}
impl Number for cuDoubleComplex {
    type Own = Complex<f64>;
}

/// The components of numbers of a type.
pub(crate) type RealOf<N> = <<N as Number>::Own as Scalar>::Real;

/// The number of a row, from 1: 32 bits wide, or 64 where sizes are.
pub(crate) trait Pivot: Copy + Send + Sync + 'static {
    fn from_row(row: i64) -> Self;
    fn row(self) -> i64;
}

impl Pivot for c_int {
    fn from_row(row: i64) -> Self {
        row as c_int
    }
    fn row(self) -> i64 {
        self.into()
    }
}

impl Pivot for i64 {
    fn from_row(row: i64) -> Self {
        row
    }
    fn row(self) -> i64 {
        self
    }
}

/// Evaluates an expression with the type of numbers, of [`dense`], that a program names; `INVALID_VALUE` for others.
macro_rules! typed {
    ($data_type:expr, $number:ident => $call:expr) => {
        match $data_type {
            cudaDataType_t::CUDA_R_32F => {
                type $number = f32;
                $call
            }
            cudaDataType_t::CUDA_R_64F => {
                type $number = f64;
                $call
            }
            cudaDataType_t::CUDA_C_32F => {
                type $number = dense::Complex<f32>;
                $call
            }
            cudaDataType_t::CUDA_C_64F => {
                type $number = dense::Complex<f64>;
                $call
            }
            _ => Err(cusolverError::INVALID_VALUE),
        }
    };
}

pub(crate) use typed;

/// The type of the components of numbers of a type.
pub(crate) fn real_type(data_type: cudaDataType) -> cudaDataType {
    match data_type {
        cudaDataType_t::CUDA_C_32F => cudaDataType_t::CUDA_R_32F,
        cudaDataType_t::CUDA_C_64F => cudaDataType_t::CUDA_R_64F,
        other => other,
    }
}

/// The complex type with components of a type.
pub(crate) fn complex_type(data_type: cudaDataType) -> cudaDataType {
    match data_type {
        cudaDataType_t::CUDA_R_32F => cudaDataType_t::CUDA_C_32F,
        cudaDataType_t::CUDA_R_64F => cudaDataType_t::CUDA_C_64F,
        other => other,
    }
}
