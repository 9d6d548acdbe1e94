//! Copies of matrices and vectors between host and device.

use crate::device::{convert, driver};
use crate::number::{check, size};
use cuda_types::cublas::*;
use cuda_types::cuda::{CUDA_MEMCPY2D, CUmemorytype, CUstream};
use std::ffi::c_void;

/// Copies rows of some bytes; in a stream, or at once.
fn copy(
    to_device: bool,
    (bytes, rows): (usize, usize),
    (from, from_pitch): (*const c_void, usize),
    (to, to_pitch): (*mut c_void, usize),
    stream: Option<CUstream>,
) -> CublasResult {
    if bytes == 0 || rows == 0 {
        return Ok(());
    }
    let (host, device) = (CUmemorytype::CU_MEMORYTYPE_HOST, CUmemorytype::CU_MEMORYTYPE_DEVICE);
    let (from_type, to_type) = if to_device { (host, device) } else { (device, host) };
    let copy = CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: from_type,
        srcHost: from,
        srcDevice: from.expose_provenance() as u64,
        srcArray: std::ptr::null_mut(),
        srcPitch: from_pitch,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: to_type,
        dstHost: to,
        dstDevice: to.expose_provenance() as u64,
        dstArray: std::ptr::null_mut(),
        dstPitch: to_pitch,
        WidthInBytes: bytes,
        Height: rows,
    };
    let driver = driver()?;
    // SAFETY: the program says that the memory is there.
    let result = unsafe {
        match stream {
            Some(stream) => driver.cuMemcpy2DAsync_v2(&copy, stream),
            None => driver.cuMemcpy2DUnaligned_v2(&copy),
        }
    };
    result.map_err(|error| match convert(error) {
        cublasError::EXECUTION_FAILED => cublasError::MAPPING_ERROR,
        error => error,
    })
}

/// The bytes of elements of a size, and the distance of rows of them.
fn rows(count: i64, element: i64, distance: i64) -> CublasResult<(usize, usize)> {
    check(element > 0 && distance > 0)?;
    let (count, element) = (size(count)?, size(element)?);
    let bytes = count.checked_mul(element).ok_or(cublasError::INVALID_VALUE)?;
    let pitch = size(distance)?.checked_mul(element).ok_or(cublasError::INVALID_VALUE)?;
    Ok((bytes, pitch))
}

/// Defines the copies of one direction, at once and in a stream.
macro_rules! copies {
    ($($to_device:literal $matrix:ident $matrix_async:ident $vector:ident $vector_async:ident;)*) => {$(
        #[allow(clippy::too_many_arguments)]
        pub(crate) fn $matrix_async(
            m: i64, n: i64, element: i64, a: *const c_void, lda: i64, b: *mut c_void, ldb: i64, stream: cudaStream_t,
        ) -> CublasResult {
            matrix($to_device, (m, n), element, (a, lda), (b, ldb), Some(stream.cast()))
        }

        pub(crate) fn $matrix(
            m: i64, n: i64, element: i64, a: *const c_void, lda: i64, b: *mut c_void, ldb: i64,
        ) -> CublasResult {
            matrix($to_device, (m, n), element, (a, lda), (b, ldb), None)
        }

        pub(crate) fn $vector_async(
            n: i64, element: i64, x: *const c_void, step_x: i64, y: *mut c_void, step_y: i64, stream: cudaStream_t,
        ) -> CublasResult {
            matrix($to_device, (1, n), element, (x, step_x), (y, step_y), Some(stream.cast()))
        }

        pub(crate) fn $vector(
            n: i64, element: i64, x: *const c_void, step_x: i64, y: *mut c_void, step_y: i64,
        ) -> CublasResult {
            matrix($to_device, (1, n), element, (x, step_x), (y, step_y), None)
        }
    )*};
}

copies! {
    true set_matrix set_matrix_async set_vector set_vector_async;
    false get_matrix get_matrix_async get_vector get_vector_async;
}

fn matrix(
    to_device: bool,
    (m, n): (i64, i64),
    element: i64,
    (from, from_leading): (*const c_void, i64),
    (to, to_leading): (*mut c_void, i64),
    stream: Option<CUstream>,
) -> CublasResult {
    let (bytes, from_pitch) = rows(m, element, from_leading)?;
    let (_, to_pitch) = rows(m, element, to_leading)?;
    check(from_pitch >= bytes && to_pitch >= bytes)?;
    copy(to_device, (bytes, size(n)?), (from, from_pitch), (to, to_pitch), stream)
}
