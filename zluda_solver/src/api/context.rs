//! Handles and what is set in them.

use crate::convert::Out;
use crate::handle::{Handle, Sparse};
use cuda_types::cusolver::*;
use std::ffi::c_int;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind};

const INVALID: cusolverError = cusolverError::INVALID_VALUE;

pub(crate) fn create(handle: Out<cusolverDnHandle_t>) -> CusolverResult {
    handle.check()?;
    handle.set(std::ptr::without_provenance_mut(Handle::create_dense()? as usize))
}

pub(crate) fn destroy(handle: cusolverDnHandle_t) -> CusolverResult {
    Handle::destroy_dense(handle as u64)
}

pub(crate) fn create_sparse(handle: Out<cusolverSpHandle_t>) -> CusolverResult {
    handle.check()?;
    handle.set(std::ptr::without_provenance_mut(Handle::create_sparse()? as usize))
}

pub(crate) fn destroy_sparse(handle: cusolverSpHandle_t) -> CusolverResult {
    Handle::destroy_sparse(handle as u64)
}

pub(crate) fn version(version: Out<c_int>) -> CusolverResult {
    version.set(CUSOLVER_VERSION as c_int)
}

pub(crate) fn property(which: libraryPropertyType, value: Out<c_int>) -> CusolverResult {
    value.check()?;
    value.set(match which {
        libraryPropertyType_t::MAJOR_VERSION => CUSOLVER_VER_MAJOR as c_int,
        libraryPropertyType_t::MINOR_VERSION => CUSOLVER_VER_MINOR as c_int,
        libraryPropertyType_t::PATCH_LEVEL => CUSOLVER_VER_PATCH as c_int,
        _ => return Err(INVALID),
    })
}

pub(crate) fn set_stream(handle: Arc<Handle>, stream: cudaStream_t) -> CusolverResult {
    handle.change(|settings| settings.stream = stream.cast());
    Ok(())
}

pub(crate) fn get_stream(handle: Arc<Handle>, stream: Out<cudaStream_t>) -> CusolverResult {
    stream.set(handle.settings().stream.cast())
}

pub(crate) fn set_stream_sparse(handle: Sparse, stream: cudaStream_t) -> CusolverResult {
    handle.change(|settings| settings.stream = stream.cast());
    Ok(())
}

pub(crate) fn get_stream_sparse(handle: Sparse, stream: Out<cudaStream_t>) -> CusolverResult {
    stream.set(handle.settings().stream.cast())
}

/// Results do not depend on it: they are the same each time.
pub(crate) fn set_deterministic(
    handle: Arc<Handle>,
    mode: cusolverDeterministicMode_t,
) -> CusolverResult {
    use cusolverDeterministicMode_t as Mode;
    let modes =
        [Mode::CUSOLVER_DETERMINISTIC_RESULTS, Mode::CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS];
    if !modes.contains(&mode) {
        return Err(INVALID);
    }
    handle.change(|settings| settings.deterministic = mode);
    Ok(())
}

pub(crate) fn get_deterministic(
    handle: Arc<Handle>,
    mode: Out<cusolverDeterministicMode_t>,
) -> CusolverResult {
    mode.set(handle.settings().deterministic)
}

/// Results do not depend on it: nothing is emulated.
pub(crate) fn set_math(handle: Arc<Handle>, mode: cusolverMathMode_t) -> CusolverResult {
    use cusolverMathMode_t as Mode;
    let modes = [
        Mode::CUSOLVER_DEFAULT_MATH,
        Mode::CUSOLVER_FP32_EMULATED_BF16X9_MATH,
        Mode::CUSOLVER_FP64_EMULATED_FIXEDPOINT_MATH,
        Mode::CUSOLVER_FP32_FP64_EMULATED_MATH,
    ];
    if !modes.contains(&mode) {
        return Err(INVALID);
    }
    handle.change(|settings| settings.math = mode);
    Ok(())
}

pub(crate) fn get_math(handle: Arc<Handle>, mode: Out<cusolverMathMode_t>) -> CusolverResult {
    mode.set(handle.settings().math)
}

/// A program's options of functions whose names begin with X. Which algorithm is asked for changes nothing.
struct Params;

static PARAMS: LazyLock<HandleTable<Params>> =
    LazyLock::new(|| HandleTable::new(Kind::CUSOLVER_DN_PARAMS));

pub(crate) fn create_params(params: Out<cusolverDnParams_t>) -> CusolverResult {
    params.check()?;
    let made = PARAMS.insert(Arc::new(Params)).ok_or(cusolverError::ALLOC_FAILED)?;
    params.set(std::ptr::without_provenance_mut(made as usize))
}

pub(crate) fn destroy_params(params: cusolverDnParams_t) -> CusolverResult {
    PARAMS.remove(params as u64).map(drop).ok_or(INVALID)
}

pub(crate) fn set_options(
    params: cusolverDnParams_t,
    _function: cusolverDnFunction_t,
    algorithm: cusolverAlgMode_t,
) -> CusolverResult {
    PARAMS.get(params as u64).ok_or(INVALID)?;
    let known = algorithm.0 <= cusolverAlgMode_t::CUSOLVER_ALG_2.0;
    if known { Ok(()) } else { Err(INVALID) }
}
