//! Transforms in streams.
//!
//! NVIDIA's library does what the plan says, whichever of these functions is called, if only the direction is one of the
//! plan's.

use crate::plans::PlanObject;
use cuda_types::cuda::CUstream;
use cuda_types::cufft::{CUFFT_FORWARD, CUFFT_INVERSE, CufftResult, cudaStream_t, cufftError};
use fourier::{Direction, Kind};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// The stream is looked at when something is put into it.
pub(crate) fn cufftSetStream(plan: Arc<PlanObject>, stream: cudaStream_t) -> CufftResult {
    plan.with(|state| state.stream = stream.cast::<c_void>() as CUstream);
    Ok(())
}

pub(crate) fn cufftXtExec(
    plan: Arc<PlanObject>,
    input: *mut c_void,
    output: *mut c_void,
    direction: c_int,
) -> CufftResult {
    let direction = match direction {
        CUFFT_FORWARD => Direction::Forward,
        _ if i64::from(direction) == i64::from(CUFFT_INVERSE) => Direction::Inverse,
        _ => return Err(cufftError::INVALID_VALUE),
    };
    let (stream, plan) = plan.made()?;
    let is_right = match plan.descriptor().kind {
        Kind::Complex => true,
        Kind::RealToComplex => direction == Direction::Forward,
        Kind::ComplexToReal => direction == Direction::Inverse,
    };
    if !is_right || input.is_null() || output.is_null() {
        return Err(cufftError::INVALID_VALUE);
    }
    plan.exec(stream, direction, input.expose_provenance(), output.expose_provenance())
}

pub(crate) fn cufftExecC2C<A, B>(
    plan: Arc<PlanObject>,
    input: *mut A,
    output: *mut B,
    direction: c_int,
) -> CufftResult {
    cufftXtExec(plan, input.cast(), output.cast(), direction)
}

/// From real numbers.
pub(crate) fn cufftExecR2C<A, B>(
    plan: Arc<PlanObject>,
    input: *mut A,
    output: *mut B,
) -> CufftResult {
    cufftXtExec(plan, input.cast(), output.cast(), CUFFT_FORWARD)
}

/// To real numbers.
pub(crate) fn cufftExecC2R<A, B>(
    plan: Arc<PlanObject>,
    input: *mut A,
    output: *mut B,
) -> CufftResult {
    cufftXtExec(plan, input.cast(), output.cast(), CUFFT_INVERSE as c_int)
}
