//! Callbacks, functions of the program's kernels that load and store elements. NVIDIA's dynamic library has none but those
//! that are compiled at run time, either, and answers so.

use crate::plans::PlanObject;
use cuda_types::cufft::{CufftResult, cufftError, cufftXtCallbackType};
use std::ffi::c_void;
use std::sync::Arc;

pub(crate) fn cufftXtSetCallback(
    _: i32,
    _: *mut *mut c_void,
    _: cufftXtCallbackType,
    _: *mut *mut c_void,
) -> CufftResult {
    Err(cufftError::NOT_IMPLEMENTED)
}

pub(crate) fn cufftXtClearCallback(_: i32, _: cufftXtCallbackType) -> CufftResult {
    Err(cufftError::NOT_IMPLEMENTED)
}

pub(crate) fn cufftXtSetCallbackSharedSize(
    _: Arc<PlanObject>,
    _: cufftXtCallbackType,
    _: usize,
) -> CufftResult {
    Err(cufftError::NOT_IMPLEMENTED)
}
