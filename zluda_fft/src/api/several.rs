//! Transforms over several GPUs, which there are none of.

use crate::convert::In;
use crate::plans::PlanObject;
use cuda_types::cufft::{CufftResult, cufftError};
use std::ffi::c_int;
use std::sync::Arc;

/// More GPUs than any machine has.
const MOST: usize = 64;

/// Two or more, before the plan is made.
pub(crate) fn cufftXtSetGPUs(
    plan: Arc<PlanObject>,
    count: c_int,
    devices: In<c_int>,
) -> CufftResult {
    if plan.with(|state| state.made.is_some()) {
        return Err(cufftError::INVALID_PLAN);
    }
    let count = usize::try_from(count).ok().filter(|count| *count > 1);
    devices.array(count.ok_or(cufftError::INVALID_VALUE)?, MOST)?;
    tracing::warn!("unsupported: a transform over several GPUs");
    Err(cufftError::NOT_SUPPORTED)
}
