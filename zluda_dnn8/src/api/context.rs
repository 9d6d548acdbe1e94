//! Versions, and the names of errors.

use crate::convert::Out;
use cuda_types::cudnn8::*;
use std::ffi::{c_char, c_int};

pub(crate) fn version() -> usize {
    CUDNN_VERSION as usize
}

/// The newest device that the engine knows: 13.0.
pub(crate) fn max_device_version() -> usize {
    1300
}

/// The CUDA of NVIDIA's library of this version: 12.2.
pub(crate) fn cudart_version() -> usize {
    12020
}

pub(crate) fn property(which: libraryPropertyType, value: Out<c_int>) -> CudnnResult {
    value.check()?;
    value.set(match which {
        libraryPropertyType_t::MAJOR_VERSION => CUDNN_MAJOR as c_int,
        libraryPropertyType_t::MINOR_VERSION => CUDNN_MINOR as c_int,
        libraryPropertyType_t::PATCH_LEVEL => CUDNN_PATCHLEVEL as c_int,
        _ => return Err(cudnnError::INVALID_VALUE),
    })
}

pub(crate) fn error_string(status: cudnnStatus_t) -> *const c_char {
    result_name(status).unwrap_or(c"CUDNN_UNKNOWN_STATUS").as_ptr()
}

/// All sub-libraries are this one.
pub(crate) fn version_check() -> CudnnResult {
    Ok(())
}
