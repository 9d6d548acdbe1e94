//! Handles, versions and the names of errors.

use crate::convert::{Out, check};
use crate::export::take_last_error;
use crate::handle::Handle;
use cuda_types::cudnn::*;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::Arc;
use zluda_api::convert::Out as AnyOut;

pub(crate) fn create_handle(handle: Out<cudnnHandle_t>) -> CudnnResult {
    handle.check()?;
    handle.set(std::ptr::without_provenance_mut(Handle::create()? as usize))
}

pub(crate) fn destroy_handle(handle: cudnnHandle_t) -> CudnnResult {
    if handle.is_null() { Ok(()) } else { Handle::destroy(handle as u64) }
}

/// The stream is looked at when something is put into it.
pub(crate) fn set_stream(handle: Arc<Handle>, stream: cudaStream_t) -> CudnnResult {
    handle.set_stream(stream.cast());
    Ok(())
}

pub(crate) fn get_stream(handle: Arc<Handle>, stream: Out<cudaStream_t>) -> CudnnResult {
    stream.set(handle.stream().cast())
}

pub(crate) fn version() -> usize {
    CUDNN_VERSION as usize
}

/// The newest device that the library knows: 13.0.
pub(crate) fn max_device_version() -> usize {
    1300
}

pub(crate) fn cudart_version() -> usize {
    zluda_api::driver::VERSION as usize
}

pub(crate) fn property(which: libraryPropertyType, value: Out<c_int>) -> CudnnResult {
    value.check()?;
    value.set(match which {
        libraryPropertyType_t::MAJOR_VERSION => CUDNN_MAJOR as c_int,
        libraryPropertyType_t::MINOR_VERSION => CUDNN_MINOR as c_int,
        libraryPropertyType_t::PATCH_LEVEL => CUDNN_PATCHLEVEL as c_int,
        _ => return Err(cudnnError::BAD_PARAM),
    })
}

/// All sub-libraries are this one.
pub(crate) fn version_check() -> CudnnResult {
    Ok(())
}

pub(crate) fn error_string(status: cudnnStatus_t) -> *const c_char {
    result_name(status).unwrap_or(c"CUDNN_UNKNOWN_STATUS").as_ptr()
}

pub(crate) fn last_error_string(message: *mut c_char, size: usize) {
    let place: AnyOut<c_char, cudnnError> = AnyOut::of(message);
    if !place.is_null() {
        place.set_text(take_last_error().as_bytes(), size);
    }
}

/// Work fails as kernels do: with the context.
pub(crate) fn query_runtime_error(
    _: Arc<Handle>,
    status: Out<cudnnStatus_t>,
    mode: cudnnErrQueryMode_t,
    _tag: *mut cudnnRuntimeTag_t,
) -> CudnnResult {
    check(mode.0 <= cudnnErrQueryMode_t::CUDNN_ERRQUERY_BLOCKING.0)?;
    status.set(cudnnStatus_t::CUDNN_STATUS_SUCCESS)
}

/// The log is ZLUDA's own: nobody is called.
pub(crate) fn set_callback(
    _mask: c_uint,
    _data: *mut c_void,
    _call: cudnnCallback_t,
) -> CudnnResult {
    Ok(())
}

pub(crate) fn get_callback(
    mask: Out<c_uint>,
    data: Out<*mut c_void>,
    call: Out<cudnnCallback_t>,
) -> CudnnResult {
    mask.set_if_wanted(0);
    data.set_if_wanted(std::ptr::null_mut());
    call.set_if_wanted(None);
    Ok(())
}
