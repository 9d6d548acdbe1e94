//! Begin and end, and the texts of errors.

use crate::devices;
use cuda_types::nvml::{
    NVML_INIT_FLAG_FORCE_INIT, NVML_INIT_FLAG_NO_ATTACH, NVML_INIT_FLAG_NO_GPUS, NvmlResult,
    nvmlError, nvmlReturn_t,
};
use std::ffi::{CStr, c_char, c_uint};

pub(crate) fn nvmlInit() -> NvmlResult {
    devices::initialize(false)
}

pub(crate) fn nvmlInitWithFlags(flags: c_uint) -> NvmlResult {
    let known = NVML_INIT_FLAG_NO_GPUS | NVML_INIT_FLAG_NO_ATTACH | NVML_INIT_FLAG_FORCE_INIT;
    if flags & !known != 0 {
        return Err(nvmlError::INVALID_ARGUMENT);
    }
    // "Don't fail nvmlInit() when no GPUs are found."
    devices::initialize(flags & NVML_INIT_FLAG_NO_GPUS != 0)
}

pub(crate) fn nvmlShutdown() -> NvmlResult {
    devices::shut_down()
}

/// The words for each status, in the order of their numbers.
const TEXTS: &[(nvmlReturn_t, &CStr)] = {
    use nvmlReturn_t as R;
    &[
        (R::NVML_SUCCESS, c"Success"),
        (R::NVML_ERROR_UNINITIALIZED, c"Uninitialized"),
        (R::NVML_ERROR_INVALID_ARGUMENT, c"Invalid Argument"),
        (R::NVML_ERROR_NOT_SUPPORTED, c"Not Supported"),
        (R::NVML_ERROR_NO_PERMISSION, c"Insufficient Permissions"),
        (R::NVML_ERROR_ALREADY_INITIALIZED, c"Already Initialized"),
        (R::NVML_ERROR_NOT_FOUND, c"Not Found"),
        (R::NVML_ERROR_INSUFFICIENT_SIZE, c"Insufficient Size"),
        (R::NVML_ERROR_INSUFFICIENT_POWER, c"Insufficient External Power"),
        (R::NVML_ERROR_DRIVER_NOT_LOADED, c"Driver Not Loaded"),
        (R::NVML_ERROR_TIMEOUT, c"Timeout"),
        (R::NVML_ERROR_IRQ_ISSUE, c"Interrupt Request Issue"),
        (R::NVML_ERROR_LIBRARY_NOT_FOUND, c"NVML Shared Library Not Found"),
        (R::NVML_ERROR_FUNCTION_NOT_FOUND, c"Function Not Found"),
        (R::NVML_ERROR_CORRUPTED_INFOROM, c"Corrupted infoROM"),
        (R::NVML_ERROR_GPU_IS_LOST, c"GPU is lost"),
        (R::NVML_ERROR_RESET_REQUIRED, c"GPU requires restart"),
        (R::NVML_ERROR_OPERATING_SYSTEM, c"The operating system has blocked the request."),
        (R::NVML_ERROR_LIB_RM_VERSION_MISMATCH, c"RM has detected an NVML/RM version mismatch."),
        (R::NVML_ERROR_IN_USE, c"GPU is in use."),
        (R::NVML_ERROR_MEMORY, c"Insufficient Memory"),
        (R::NVML_ERROR_NO_DATA, c"No data"),
        (R::NVML_ERROR_VGPU_ECC_NOT_SUPPORTED, c"Not Supported with ECC enabled"),
        (R::NVML_ERROR_INSUFFICIENT_RESOURCES, c"Insufficient Resources"),
        (R::NVML_ERROR_FREQ_NOT_SUPPORTED, c"Frequency Not Supported"),
        (R::NVML_ERROR_ARGUMENT_VERSION_MISMATCH, c"Argument version mismatch"),
        (R::NVML_ERROR_DEPRECATED, c"Deprecated"),
        (R::NVML_ERROR_NOT_READY, c"System Not in Ready State"),
        (R::NVML_ERROR_GPU_NOT_FOUND, c"GPU Not Found"),
        (R::NVML_ERROR_INVALID_STATE, c"Invalid State"),
        (R::NVML_ERROR_RESET_TYPE_NOT_SUPPORTED, c"Reset Type Not Supported"),
    ]
};

pub(crate) fn nvmlErrorString(result: nvmlReturn_t) -> *const c_char {
    let found = TEXTS.iter().find(|(status, _)| *status == result);
    found.map_or(c"Unknown Error", |(_, text)| text).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_types::nvml::RESULT_NAMES;

    #[test]
    fn every_status_has_words() {
        for (status, name) in RESULT_NAMES {
            let has = TEXTS.iter().any(|(other, _)| other == status);
            assert!(has || *status == nvmlReturn_t::NVML_ERROR_UNKNOWN, "{name:?}");
        }
    }
}
