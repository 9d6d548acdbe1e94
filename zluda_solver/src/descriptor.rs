//! The contents of a matrix descriptor. It is an object of cuSPARSE's, of whichever library of that name the program has.

use cuda_types::cusolver::*;
use libloading::Library;
use std::ffi::c_int;

type Get = unsafe extern "C" fn(cusparseMatDescr_t) -> c_int;

/// The libraries of CUDA 12 and 13 of that name that the program has: nothing is opened that it has not.
#[cfg(unix)]
fn opened() -> impl Iterator<Item = Library> {
    use libloading::os::unix::{Library, RTLD_LAZY};
    const NO_LOAD: c_int = 4;
    let named = ["libcusparse.so.12", "libcusparse.so"].into_iter().filter_map(|name| {
        // SAFETY: nothing is loaded, so no initialiser runs.
        unsafe { Library::open(Some(name), RTLD_LAZY | NO_LOAD) }.ok()
    });
    // What the program is linked with comes first.
    std::iter::once_with(Library::this).chain(named).map(Into::into)
}

#[cfg(windows)]
fn opened() -> impl Iterator<Item = Library> {
    use libloading::os::windows::Library;
    let name = "cusparse64_12.dll";
    std::iter::once_with(move || Library::open_already_loaded(name).ok()).flatten().map(Into::into)
}

fn find(name: &[u8]) -> CusolverResult<Get> {
    let look = |library: Library| {
        // SAFETY: functions of these names have this type.
        unsafe { library.get::<Get>(name) }.ok().map(|function| *function)
    };
    opened().find_map(look).ok_or_else(|| {
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
