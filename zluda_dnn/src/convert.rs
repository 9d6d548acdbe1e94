//! Arguments from C, and what of them becomes something of [`neural`].

use cuda_types::cudnn::{CudnnResult, cudnnDataType_t, cudnnError};
use neural::{Format, Scale};
use std::ffi::{c_int, c_void};

zluda_api::conversions!(cudnnError);

pub(crate) const INVALID: cudnnError = cudnnError::BAD_PARAM;

/// `BAD_PARAM` where it is not so.
pub(crate) fn check(is: bool) -> CudnnResult {
    if is { Ok(()) } else { Err(INVALID) }
}

/// `NOT_SUPPORTED` where it is not so.
pub(crate) fn supported(is: bool) -> CudnnResult {
    if is { Ok(()) } else { Err(cudnnError::NOT_SUPPORTED) }
}

/// The type of elements; none where there is nothing to compute with.
pub(crate) fn format(ty: cudnnDataType_t) -> Option<Format> {
    use cudnnDataType_t as T;
    Some(match ty {
        T::CUDNN_DATA_FLOAT | T::CUDNN_DATA_FAST_FLOAT_FOR_FP8 => Format::F32,
        T::CUDNN_DATA_DOUBLE => Format::F64,
        T::CUDNN_DATA_HALF => Format::F16,
        T::CUDNN_DATA_BFLOAT16 => Format::Bf16,
        T::CUDNN_DATA_INT8 => Format::I8,
        T::CUDNN_DATA_UINT8 => Format::U8,
        T::CUDNN_DATA_INT32 => Format::I32,
        T::CUDNN_DATA_INT64 => Format::I64,
        T::CUDNN_DATA_BOOLEAN => Format::Bit,
        T::CUDNN_DATA_BYTE_BOOLEAN => Format::Bool,
        T::CUDNN_DATA_FP8_E4M3 => Format::E4m3,
        T::CUDNN_DATA_FP8_E5M2 => Format::E5m2,
        _ => return None,
    })
}

/// Whether the number is one of the types of data.
pub(crate) fn is_type(ty: cudnnDataType_t) -> bool {
    ty.0 <= cudnnDataType_t::CUDNN_DATA_FP8_E5M3.0
}

/// A size, which is not negative.
pub(crate) fn size(value: c_int) -> CudnnResult<usize> {
    usize::try_from(value).map_err(|_| INVALID)
}

/// A length, which is not zero.
pub(crate) fn length(value: c_int) -> CudnnResult<usize> {
    size(value).and_then(|value| check(value > 0).map(|()| value))
}

/// A factor on the host: of double precision for tensors of doubles, else of single precision.
///
/// # Safety
/// The place is null or can be read.
pub(crate) unsafe fn factor(place: *const c_void, is_double: bool) -> CudnnResult<f64> {
    check(!place.is_null())?;
    // SAFETY: the caller says so.
    Ok(unsafe {
        match is_double {
            true => place.cast::<f64>().read_unaligned(),
            false => place.cast::<f32>().read_unaligned().into(),
        }
    })
}

/// Both factors of a result.
///
/// # Safety
/// The places are null or can be read.
pub(crate) unsafe fn factors(
    alpha: *const c_void,
    beta: *const c_void,
    is_double: bool,
) -> CudnnResult<Scale> {
    // SAFETY: the caller says so.
    unsafe { Ok(Scale { alpha: factor(alpha, is_double)?, beta: factor(beta, is_double)? }) }
}
