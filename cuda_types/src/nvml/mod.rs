//! The management library's API, NVML (`nvml.h`, all versions of every function and structure).

#[rustfmt::skip]
mod error;
#[allow(unsafe_op_in_unsafe_fn)]
#[rustfmt::skip]
mod generated;

pub use error::{RESULT_NAMES, nvmlError};
pub use generated::*;

/// The result of a function of NVML: its value, or the code that the program sees.
pub type NvmlResult<T = ()> = Result<T, nvmlError>;

crate::status::status!(nvmlError, nvmlReturn_t, INVALID_ARGUMENT, NOT_SUPPORTED, UNKNOWN);

/// The `version` of a structure that carries one (`NVML_STRUCT_VERSION`): its size in bytes, and its version above.
pub const fn struct_version<T>(version: u32) -> u32 {
    size_of::<T>() as u32 | version << 24
}

#[cfg(test)]
mod tests {
    use super::*;

    // Codes and versions as nvidia-ml-py has them.
    #[test]
    fn results_and_versions_have_their_codes() {
        assert_eq!(nvmlError::UNINITIALIZED.0.get(), 1);
        assert_eq!(nvmlError::NOT_SUPPORTED.0.get(), 3);
        assert_eq!(nvmlError::INSUFFICIENT_SIZE.0.get(), 7);
        assert_eq!(nvmlError::UNKNOWN.0.get(), 999);
        assert_eq!(result_name(nvmlReturn_t(0)), Some(c"NVML_SUCCESS"));
        assert_eq!(struct_version::<nvmlMemory_v2_t>(2), 0x0200_0028);
    }
}
