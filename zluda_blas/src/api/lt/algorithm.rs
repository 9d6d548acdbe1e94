//! Algorithms, of which there is one.

use super::attributes::{Desc, Layout, Preference};
use super::problem::Problem;
use crate::convert::Out;
use crate::handle::Handle;
use crate::number::{INVALID, check};
use cuda_types::cublas::*;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

const ALGORITHM: cublasLtMatmulAlgo_t = cublasLtMatmulAlgo_t { data: [0; 8] };

const RESULT: cublasLtMatmulHeuristicResult_t = cublasLtMatmulHeuristicResult_t {
    algo: ALGORITHM,
    workspaceSize: 0,
    state: cublasStatus_t::CUBLAS_STATUS_SUCCESS,
    wavesCount: 1.0,
    reserved: [0; 4],
};

#[allow(clippy::too_many_arguments)]
pub(crate) fn heuristic(
    _: Arc<Handle>,
    description: Desc,
    a: Layout,
    b: Layout,
    c: Layout,
    d: Layout,
    _: Preference,
    requested: c_int,
    results: Out<cublasLtMatmulHeuristicResult_t>,
    count: Out<c_int>,
) -> CublasResult {
    check(requested > 0)?;
    results.check()?;
    count.set(0)?;
    Problem::check(&description, [&a, &b, &c, &d])?;
    results.set(RESULT)?;
    count.set(1)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn check_algorithm(
    _: Arc<Handle>,
    description: Desc,
    a: Layout,
    b: Layout,
    c: Layout,
    d: Layout,
    algorithm: *const cublasLtMatmulAlgo_t,
    result: Out<cublasLtMatmulHeuristicResult_t>,
) -> CublasResult {
    check(!algorithm.is_null())?;
    result.check()?;
    Problem::check(&description, [&a, &b, &c, &d])?;
    result.set(RESULT)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn ids(
    _: Arc<Handle>,
    _: cublasComputeType_t,
    _: cudaDataType,
    _: cudaDataType,
    _: cudaDataType,
    _: cudaDataType,
    _: cudaDataType,
    requested: c_int,
    ids: Out<c_int>,
    count: Out<c_int>,
) -> CublasResult {
    check(requested > 0)?;
    ids.check()?;
    count.set(1)?;
    ids.set(0)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn init(
    _: Arc<Handle>,
    _: cublasComputeType_t,
    _: cudaDataType,
    _: cudaDataType,
    _: cudaDataType,
    _: cudaDataType,
    _: cudaDataType,
    id: c_int,
    algorithm: Out<cublasLtMatmulAlgo_t>,
) -> CublasResult {
    check(id >= 0)?;
    algorithm.set(ALGORITHM)
}

/// The bytes of each setting of an algorithm, by its number: tiles, stages and the rest are what a GPU would choose by. They
/// are kept, and change nothing.
const SETTINGS: [usize; 9] = [4, 4, 4, 4, 4, 4, 4, 2, 2];

/// A setting's place in an algorithm, and its bytes.
fn setting(
    algorithm: *const cublasLtMatmulAlgo_t,
    attribute: cublasLtMatmulAlgoConfigAttributes_t,
) -> CublasResult<(*const u8, usize)> {
    check(!algorithm.is_null())?;
    let number = attribute.0 as usize;
    let bytes = *SETTINGS.get(number).ok_or(INVALID)?;
    // Each has a word of 4 bytes.
    Ok((algorithm.cast::<u8>().wrapping_add(4 * number), bytes))
}

pub(crate) unsafe fn set(
    algorithm: *mut cublasLtMatmulAlgo_t,
    attribute: cublasLtMatmulAlgoConfigAttributes_t,
    buffer: *const c_void,
    size: usize,
) -> CublasResult {
    let (place, bytes) = setting(algorithm, attribute)?;
    check(!buffer.is_null() && size >= bytes)?;
    // SAFETY: the caller passes an algorithm, and a buffer of this size.
    unsafe { std::ptr::copy_nonoverlapping(buffer.cast(), place.cast_mut(), bytes) };
    Ok(())
}

pub(crate) unsafe fn get(
    algorithm: *const cublasLtMatmulAlgo_t,
    attribute: cublasLtMatmulAlgoConfigAttributes_t,
    buffer: *mut c_void,
    size: usize,
    written: Out<usize>,
) -> CublasResult {
    let (place, bytes) = setting(algorithm, attribute)?;
    // SAFETY: as for `set`.
    unsafe { answer(std::slice::from_raw_parts(place, bytes), buffer, size, written) }
}

/// Writes the value of an attribute, or tells its size where there is no buffer.
///
/// # Safety
/// The buffer is null or as large as it is said to be.
unsafe fn answer(
    value: &[u8],
    buffer: *mut c_void,
    size: usize,
    written: Out<usize>,
) -> CublasResult {
    if size == 0 {
        return written.set(value.len());
    }
    check(!buffer.is_null() && size >= value.len())?;
    // SAFETY: the caller says so.
    unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), buffer.cast(), value.len()) };
    written.set_if_wanted(value.len());
    Ok(())
}

/// The capabilities of the algorithm: batches, results elsewhere than C, factors on the host and the device, and all that needs no
/// choice.
pub(crate) unsafe fn capability(
    algorithm: *const cublasLtMatmulAlgo_t,
    attribute: cublasLtMatmulAlgoCapAttributes_t,
    buffer: *mut c_void,
    size: usize,
    written: Out<usize>,
) -> CublasResult {
    use cublasLtMatmulAlgoCapAttributes_t as A;
    check(!algorithm.is_null())?;
    let value: &[u8] = match attribute {
        A::CUBLASLT_ALGO_CAP_TILE_IDS | A::CUBLASLT_ALGO_CAP_STAGES_IDS => &[],
        A::CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS => &[0; 8],
        A::CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT
        | A::CUBLASLT_ALGO_CAP_OUT_OF_PLACE_RESULT_SUPPORT
        | A::CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES
        | A::CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES
        | A::CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES
        | A::CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES => &[1, 0, 0, 0],
        A::CUBLASLT_ALGO_CAP_POINTER_MODE_MASK => &[3, 0, 0, 0],
        attribute if attribute.0 <= A::CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES.0 => &[0; 4],
        _ => return Err(INVALID),
    };
    // SAFETY: the caller passes a buffer of this size.
    unsafe { answer(value, buffer, size, written) }
}
