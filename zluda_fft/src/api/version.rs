//! Versions: those of the headers.

use crate::convert::Out;
use cuda_types::cufft::{
    CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH, CUFFT_VERSION, CufftResult, cufftError,
    libraryPropertyType,
};
use std::ffi::c_int;

/// NVIDIA's library takes null for a caller who wants no version.
pub(crate) fn cufftGetVersion(version: Out<c_int>) -> CufftResult {
    version.set_if_wanted(CUFFT_VERSION as c_int);
    Ok(())
}

pub(crate) fn cufftGetProperty(property: libraryPropertyType, value: Out<c_int>) -> CufftResult {
    let number = match property {
        libraryPropertyType::MAJOR_VERSION => CUFFT_VER_MAJOR,
        libraryPropertyType::MINOR_VERSION => CUFFT_VER_MINOR,
        libraryPropertyType::PATCH_LEVEL => CUFFT_VER_PATCH,
        _ => return Err(cufftError::INVALID_TYPE),
    };
    value.set(number as c_int)
}
