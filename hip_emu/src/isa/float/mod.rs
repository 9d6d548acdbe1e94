//! Floats as the hardware computes them: any format, rounding mode and treatment of subnormals.
//!
//! Results to nearest are computed by the host, which rounds as IEEE 754 says; other modes go through [`exact`],
//! which computes in integers. What a NaN's bits are is the first NaN operand's, made quiet, or [`Float::NAN`].

pub(super) mod arithmetic;
pub(super) mod convert;
pub(super) mod exact;
mod format;
#[cfg(test)]
mod tests;

pub(super) use format::{BF16, Bf16, Double, F16, F32, F64, Float, Format, Half, Single};
