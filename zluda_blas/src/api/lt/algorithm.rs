//! Algorithms, of which there is one.

use super::attributes::{Desc, Layout, Preference};
use super::problem::Problem;
use crate::convert::Out;
use crate::handle::Handle;
use crate::number::check;
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

/// Tiles, stages and the rest are what a GPU would choose by.
pub(crate) fn set(
    algorithm: *mut cublasLtMatmulAlgo_t,
    _: cublasLtMatmulAlgoConfigAttributes_t,
    buffer: *const c_void,
    size: usize,
) -> CublasResult {
    check(!algorithm.is_null() && !buffer.is_null() && size > 0)
}
