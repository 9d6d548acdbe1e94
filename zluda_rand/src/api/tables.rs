//! Versions, and the tables that programs take to their own kernels.

use crate::convert::Out;
use crate::generators::sobol::{DIMENSIONS, directions};
use cuda_types::curand::*;
use std::ffi::c_int;
use std::sync::LazyLock;

/// The version of NVIDIA's library whose sequences these are.
const VERSION: [c_int; 3] = [10, 4, 5];

pub(crate) fn curandGetVersion(version: Out<c_int>) -> CurandResult {
    let [major, minor, patch] = VERSION;
    version.set(major * 1000 + minor * 100 + patch)
}

pub(crate) fn curandGetProperty(which: libraryPropertyType, value: Out<c_int>) -> CurandResult {
    let version = VERSION.get(which.0 as usize).ok_or(curandError::OUT_OF_RANGE)?;
    value.set(*version)
}

static VECTORS_32: LazyLock<Vec<curandDirectionVectors32_t>> = LazyLock::new(|| {
    (0..DIMENSIONS)
        .map(|dimension| {
            let numbers = directions(dimension);
            std::array::from_fn(|i| (numbers[i] >> 32) as u32)
        })
        .collect()
});
static VECTORS_64: LazyLock<Vec<curandDirectionVectors64_t>> =
    LazyLock::new(|| (0..DIMENSIONS).map(directions).collect());

pub(crate) fn curandGetDirectionVectors32(
    vectors: Out<*mut curandDirectionVectors32_t>,
    set: curandDirectionVectorSet_t,
) -> CurandResult {
    if set != curandDirectionVectorSet::CURAND_DIRECTION_VECTORS_32_JOEKUO6 {
        return Err(curandError::OUT_OF_RANGE);
    }
    vectors.check()?;
    vectors.set(VECTORS_32.as_ptr().cast_mut())
}

pub(crate) fn curandGetDirectionVectors64(
    vectors: Out<*mut curandDirectionVectors64_t>,
    set: curandDirectionVectorSet_t,
) -> CurandResult {
    if set != curandDirectionVectorSet::CURAND_DIRECTION_VECTORS_64_JOEKUO6 {
        return Err(curandError::OUT_OF_RANGE);
    }
    vectors.check()?;
    vectors.set(VECTORS_64.as_ptr().cast_mut())
}
