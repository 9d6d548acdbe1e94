//! The sentences of `cuGetErrorString`.

use cuda_types::cuda::{CUresult, result_name};
use std::ffi::CStr;

/// The description of a result; `None` for a code that CUDA does not have.
///
/// Programs and their tests look for the common sentences. Rare errors have their name.
pub(crate) fn describe(result: CUresult) -> Option<&'static CStr> {
    Some(match result {
        CUresult::CUDA_SUCCESS => c"no error",
        CUresult::CUDA_ERROR_INVALID_VALUE => c"invalid argument",
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => c"out of memory",
        CUresult::CUDA_ERROR_NOT_INITIALIZED => c"initialization error",
        CUresult::CUDA_ERROR_DEINITIALIZED => c"driver shutting down",
        CUresult::CUDA_ERROR_NO_DEVICE => c"no CUDA-capable device is detected",
        CUresult::CUDA_ERROR_INVALID_DEVICE => c"invalid device ordinal",
        CUresult::CUDA_ERROR_INVALID_IMAGE => c"device kernel image is invalid",
        CUresult::CUDA_ERROR_INVALID_CONTEXT => c"invalid device context",
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU => {
            c"no kernel image is available for execution on the device"
        }
        CUresult::CUDA_ERROR_UNSUPPORTED_LIMIT => c"limit is not supported on this architecture",
        CUresult::CUDA_ERROR_INVALID_PTX => c"a PTX JIT compilation failed",
        CUresult::CUDA_ERROR_INVALID_SOURCE => c"device kernel image is invalid",
        CUresult::CUDA_ERROR_FILE_NOT_FOUND => c"file not found",
        CUresult::CUDA_ERROR_INVALID_HANDLE => c"invalid resource handle",
        CUresult::CUDA_ERROR_NOT_FOUND => c"named symbol not found",
        CUresult::CUDA_ERROR_NOT_READY => c"device not ready",
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS => c"an illegal memory access was encountered",
        CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => c"too many resources requested for launch",
        CUresult::CUDA_ERROR_LAUNCH_TIMEOUT => c"the launch timed out and was terminated",
        CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED => c"context is destroyed",
        CUresult::CUDA_ERROR_ASSERT => c"device-side assert triggered",
        CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED => {
            c"part or all of the requested memory range is already mapped"
        }
        CUresult::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED => {
            c"pointer does not correspond to a registered memory region"
        }
        CUresult::CUDA_ERROR_MISALIGNED_ADDRESS => c"misaligned address",
        CUresult::CUDA_ERROR_LAUNCH_FAILED => c"unspecified launch failure",
        CUresult::CUDA_ERROR_NOT_PERMITTED => c"operation not permitted",
        CUresult::CUDA_ERROR_NOT_SUPPORTED => c"operation not supported",
        CUresult::CUDA_ERROR_UNKNOWN => c"unknown error",
        CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED => c"peer access has not been enabled",
        CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => c"peer access is already enabled",
        CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => {
            c"too many blocks in cooperative launch"
        }
        CUresult::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED => c"shared object initialization failed",
        CUresult::CUDA_ERROR_OPERATING_SYSTEM => {
            c"OS call failed or operation not supported on this OS"
        }
        CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION => c"an illegal instruction was encountered",
        other => return result_name(other),
    })
}
