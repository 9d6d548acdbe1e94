//! The CUDA driver API (`cuda.h`, CUDA 13.0, all versions of every structure).
//!
//! Enumerations are newtypes with constants, so that any value that a program passes is valid Rust.

#[rustfmt::skip]
mod error;
#[allow(unsafe_op_in_unsafe_fn)]
#[rustfmt::skip]
mod generated;

pub use error::{CUerror, RESULT_NAMES};
pub use generated::*;

/// The result of a function of the driver: its value, or the code that the program sees.
pub type CUres<T = ()> = Result<T, CUerror>;

/// The current context's default stream, with the implicit synchronisation of CUDA's legacy stream.
pub const CU_STREAM_LEGACY: CUstream = 1 as CUstream;
/// The default stream of the calling thread.
pub const CU_STREAM_PER_THREAD: CUstream = 2 as CUstream;
/// End of the list that [`cuLaunchKernel`'s](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) `extra` is.
pub const CU_LAUNCH_PARAM_END: usize = CU_LAUNCH_PARAM_END_AS_INT as usize;
/// In `extra`: the next word is the address of the parameter buffer.
pub const CU_LAUNCH_PARAM_BUFFER_POINTER: usize = CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT as usize;
/// In `extra`: the next word is the address of a `size_t`, the size of the parameter buffer.
pub const CU_LAUNCH_PARAM_BUFFER_SIZE: usize = CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT as usize;
/// The device number that stands for the host, in hints about memory.
pub const CU_DEVICE_CPU: CUdevice = -1;
/// No device.
pub const CU_DEVICE_INVALID: CUdevice = -2;

crate::status::status!(CUerror, CUresult, INVALID_VALUE, NOT_SUPPORTED, UNKNOWN);

#[cfg(test)]
mod tests {
    use super::*;

    // Codes as the CUDA driver API manual lists them.
    #[test]
    fn results_have_their_codes_and_names() {
        for (error, code, name) in [
            (CUerror::INVALID_VALUE, 1, c"CUDA_ERROR_INVALID_VALUE"),
            (CUerror::INVALID_PTX, 218, c"CUDA_ERROR_INVALID_PTX"),
            (CUerror::ILLEGAL_ADDRESS, 700, c"CUDA_ERROR_ILLEGAL_ADDRESS"),
            (CUerror::NOT_SUPPORTED, 801, c"CUDA_ERROR_NOT_SUPPORTED"),
            (CUerror::UNKNOWN, 999, c"CUDA_ERROR_UNKNOWN"),
        ] {
            assert_eq!(error.0.get(), code);
            assert_eq!(error.name(), Some(name));
        }
        assert_eq!(result_name(CUresult::CUDA_SUCCESS), Some(c"CUDA_SUCCESS"));
        assert_eq!(result_name(CUresult(12345)), None);
        assert_eq!(size_of::<CUres>(), 4);
    }
}
