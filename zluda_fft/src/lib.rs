//! cuFFT, NVIDIA's Fourier transforms (libcufft.so), for the devices that the driver runs programs on.
//!
//! This file is the list of exports; names that are not in it answer "not supported". What they do stands in [`api`];
//! [`plans`] has what handles lead to, [`backend`] who transforms. The transforms of this machine's processor are those of
//! the crate `fourier`.

mod api;
mod backend;
mod convert;
mod export;
mod plans;

#[allow(unused_imports)]
use cuda_types::cufft::*;

cuda_macros::export_api! {
    cufft;
    plan {
        cufftCreate, cufftDestroy, cufftPlan1d, cufftPlan2d, cufftPlan3d, cufftPlanMany, cufftMakePlan1d,
        cufftMakePlan2d, cufftMakePlan3d, cufftMakePlanMany, cufftMakePlanMany64, cufftXtMakePlanMany,
    },
    size {
        cufftEstimate1d, cufftEstimate2d, cufftEstimate3d, cufftEstimateMany, cufftGetSize1d, cufftGetSize2d,
        cufftGetSize3d, cufftGetSizeMany, cufftGetSizeMany64, cufftXtGetSizeMany, cufftGetSize,
    },
    work_area { cufftSetAutoAllocation, cufftSetWorkArea, cufftXtSetWorkArea, cufftXtSetWorkAreaPolicy },
    exec {
        cufftSetStream, cufftExecC2C, cufftExecR2C, cufftExecC2R, cufftExecZ2Z => cufftExecC2C,
        cufftExecD2Z => cufftExecR2C, cufftExecZ2D => cufftExecC2R, cufftXtExec,
    },
    version { cufftGetVersion, cufftGetProperty },
    property { cufftSetPlanPropertyInt64, cufftGetPlanPropertyInt64, cufftResetPlanProperty },
    callback { cufftXtSetCallback, cufftXtClearCallback, cufftXtSetCallbackSharedSize },
    several { cufftXtSetGPUs },
}
