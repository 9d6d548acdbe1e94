//! Versions, and the tables that programs take to their own kernels.

use crate::convert::Out;
use crate::generators::sobol::{DIMENSIONS, directions, scramble_constant, scrambled_directions};
use cuda_types::curand::*;
use std::ffi::{c_int, c_uint, c_ulonglong};
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

/// A table that is made when it is first asked for.
type Table<T> = LazyLock<Vec<T>>;

fn table<T>(row: impl Fn(usize) -> T) -> Vec<T> {
    (0..DIMENSIONS).map(row).collect()
}

fn upper_bits(numbers: [u64; 64]) -> curandDirectionVectors32_t {
    std::array::from_fn(|i| (numbers[i] >> 32) as u32)
}

static VECTORS_32: Table<curandDirectionVectors32_t> =
    LazyLock::new(|| table(|dimension| upper_bits(directions(dimension))));
static SCRAMBLED_32: Table<curandDirectionVectors32_t> =
    LazyLock::new(|| table(|dimension| upper_bits(scrambled_directions(dimension))));
static VECTORS_64: Table<curandDirectionVectors64_t> = LazyLock::new(|| table(directions));
static SCRAMBLED_64: Table<curandDirectionVectors64_t> =
    LazyLock::new(|| table(scrambled_directions));
static CONSTANTS_32: Table<c_uint> =
    LazyLock::new(|| table(|dimension| (scramble_constant(dimension) >> 32) as c_uint));
static CONSTANTS_64: Table<c_ulonglong> = LazyLock::new(|| table(scramble_constant));

pub(crate) fn curandGetDirectionVectors32(
    vectors: Out<*mut curandDirectionVectors32_t>,
    set: curandDirectionVectorSet_t,
) -> CurandResult {
    use curandDirectionVectorSet as Set;
    let table = match set {
        Set::CURAND_DIRECTION_VECTORS_32_JOEKUO6 => &VECTORS_32,
        Set::CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 => &SCRAMBLED_32,
        _ => return Err(curandError::OUT_OF_RANGE),
    };
    vectors.check()?;
    vectors.set(table.as_ptr().cast_mut())
}

pub(crate) fn curandGetDirectionVectors64(
    vectors: Out<*mut curandDirectionVectors64_t>,
    set: curandDirectionVectorSet_t,
) -> CurandResult {
    use curandDirectionVectorSet as Set;
    let table = match set {
        Set::CURAND_DIRECTION_VECTORS_64_JOEKUO6 => &VECTORS_64,
        Set::CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 => &SCRAMBLED_64,
        _ => return Err(curandError::OUT_OF_RANGE),
    };
    vectors.check()?;
    vectors.set(table.as_ptr().cast_mut())
}

pub(crate) fn curandGetScrambleConstants32(constants: Out<*mut c_uint>) -> CurandResult {
    constants.check()?;
    constants.set(CONSTANTS_32.as_ptr().cast_mut())
}

pub(crate) fn curandGetScrambleConstants64(constants: Out<*mut c_ulonglong>) -> CurandResult {
    constants.check()?;
    constants.set(CONSTANTS_64.as_ptr().cast_mut())
}
