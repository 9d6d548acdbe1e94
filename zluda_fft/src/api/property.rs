//! Properties of plans: how NVIDIA's library compiles its kernels. Ours has none, so they are kept and change nothing.

use crate::convert::Out;
use crate::plans::PlanObject;
use cuda_types::cufft::{CufftResult, cufftError, cufftProperty};
use std::ffi::c_longlong;
use std::sync::Arc;

/// The index of a property in [`State::properties`](crate::plans::State). The number of threads that compile is for plans that NVIDIA's library compiles.
fn index(property: cufftProperty) -> CufftResult<usize> {
    match property {
        cufftProperty::NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT => Ok(0),
        cufftProperty::NVFFT_PLAN_PROPERTY_INT64_BLUESTEIN_ONLY => Ok(1),
        cufftProperty::NVFFT_PLAN_PROPERTY_INT64_DISABLE_FMA => Ok(2),
        cufftProperty::NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS => {
            Err(cufftError::NOT_SUPPORTED)
        }
        _ => Err(cufftError::INVALID_VALUE),
    }
}

/// Before the plan is made; `NOT_SUPPORTED` after it.
pub(crate) fn cufftSetPlanPropertyInt64(
    plan: Arc<PlanObject>,
    property: cufftProperty,
    value: c_longlong,
) -> CufftResult {
    plan.with(|state| {
        if state.made.is_some() {
            return Err(cufftError::NOT_SUPPORTED);
        }
        state.properties.0[index(property)?] = value != 0;
        Ok(())
    })
}

pub(crate) fn cufftGetPlanPropertyInt64(
    plan: Arc<PlanObject>,
    property: cufftProperty,
    value: Out<c_longlong>,
) -> CufftResult {
    value.check()?;
    let index = index(property)?;
    value.set(plan.with(|state| state.properties.0[index]).into())
}

pub(crate) fn cufftResetPlanProperty(
    plan: Arc<PlanObject>,
    property: cufftProperty,
) -> CufftResult {
    let index = index(property)?;
    plan.with(|state| state.properties.0[index] = false);
    Ok(())
}
