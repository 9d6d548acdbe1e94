//! The contents of a matrix descriptor. It is an object of cuSPARSE's, of whichever library of that name the program has.

use cuda_types::cusolver::*;
use libloading::os::unix::{Library, RTLD_LAZY};
use std::ffi::c_int;

type Get = unsafe extern "C" fn(cusparseMatDescr_t) -> c_int;

/// Names of the library in CUDA 12 and 13, and where it is not opened again: only where the program has.
const NAMES: [&str; 2] = ["libcusparse.so.12", "libcusparse.so"];
const RTLD_NOLOAD: c_int = 4;

fn find(name: &[u8]) -> CusolverResult<Get> {
    let look = |library: &Library| {
        // SAFETY: functions of these names have this type.
        unsafe { library.get::<Get>(name) }.ok().map(|function| *function)
    };
    if let Some(found) = look(&Library::this()) {
        return Ok(found);
    }
    let opened = NAMES.iter().filter_map(|name| {
        // SAFETY: nothing is loaded, so no initialiser runs.
        unsafe { Library::open(Some(name), RTLD_LAZY | RTLD_NOLOAD) }.ok()
    });
    opened.into_iter().find_map(|library| look(&library)).ok_or_else(|| {
        tracing::error!("the program's cuSPARSE is not found");
        cusolverError::NOT_INITIALIZED
    })
}

/// The first index of a matrix, 0 or 1, by its descriptor.
pub(crate) fn base(descriptor: cusparseMatDescr_t) -> CusolverResult<i64> {
    if descriptor.is_null() {
        return Err(cusolverError::INVALID_VALUE);
    }
    let (kind, base) = (find(b"cusparseGetMatType\0")?, find(b"cusparseGetMatIndexBase\0")?);
    // SAFETY: the descriptor is one of that library's.
    let (kind, base) = unsafe { (kind(descriptor), base(descriptor)) };
    // CUSPARSE_MATRIX_TYPE_GENERAL
    if kind != 0 {
        return Err(cusolverError::MATRIX_TYPE_NOT_SUPPORTED);
    }
    Ok(base.into())
}
