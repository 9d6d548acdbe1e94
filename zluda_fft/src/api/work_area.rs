//! Work areas, of which no plan needs one: programs may say what they like about them.

use crate::convert::{In, Out};
use crate::plans::PlanObject;
use cuda_types::cufft::{CufftResult, cufftError, cufftXtWorkAreaPolicy};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

pub(crate) fn cufftSetAutoAllocation(_: Arc<PlanObject>, _: c_int) -> CufftResult {
    Ok(())
}

/// A program whose plan needs 0 bytes may have no memory to pass.
pub(crate) fn cufftSetWorkArea(_: Arc<PlanObject>, _: *mut c_void) -> CufftResult {
    Ok(())
}

/// An area for each device.
pub(crate) fn cufftXtSetWorkArea(_: Arc<PlanObject>, areas: In<*mut c_void>) -> CufftResult {
    areas.get().map(drop)
}

pub(crate) fn cufftXtSetWorkAreaPolicy(
    plan: Arc<PlanObject>,
    policy: cufftXtWorkAreaPolicy,
    _: Out<usize>,
) -> CufftResult {
    plan.made()?;
    match policy {
        cufftXtWorkAreaPolicy::CUFFT_WORKAREA_MINIMAL
        | cufftXtWorkAreaPolicy::CUFFT_WORKAREA_USER
        | cufftXtWorkAreaPolicy::CUFFT_WORKAREA_PERFORMANCE => Ok(()),
        _ => Err(cufftError::INVALID_VALUE),
    }
}
