//! Errors: the last one, names, descriptions.

use std::ffi::{CStr, c_char};

use hip_runtime_sys::hipError_t;

use super::{LAST_ERROR, hip_api, put};
use crate::core::context::current;

/// The sticky error, or the thread's last one.
fn last_error() -> hipError_t {
    current().device.error().unwrap_or(LAST_ERROR.get())
}

macro_rules! errors {
    ($($name:ident: $text:literal,)*) => {
        fn describe(error: hipError_t) -> Option<(&'static CStr, &'static CStr)> {
            $(
                if error == hipError_t::$name {
                    // SAFETY: the literal ends in its only NUL.
                    let name = unsafe {
                        CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes())
                    };
                    return Some((name, $text));
                }
            )*
            None
        }
    };
}

errors! {
    hipSuccess: c"no error",
    hipErrorInvalidValue: c"invalid argument",
    hipErrorOutOfMemory: c"out of memory",
    hipErrorNotInitialized: c"initialization error",
    hipErrorDeinitialized: c"driver shutting down",
    hipErrorInvalidConfiguration: c"invalid configuration argument",
    hipErrorInvalidPitchValue: c"invalid pitch argument",
    hipErrorInvalidSymbol: c"invalid device symbol",
    hipErrorInvalidDevicePointer: c"invalid device pointer",
    hipErrorInvalidMemcpyDirection: c"invalid copy direction for memcpy",
    hipErrorInvalidDeviceFunction: c"invalid device function",
    hipErrorNoDevice: c"no device is detected",
    hipErrorInvalidDevice: c"invalid device ordinal",
    hipErrorInvalidImage: c"device kernel image is invalid",
    hipErrorInvalidContext: c"invalid device context",
    hipErrorNoBinaryForGpu: c"no kernel image is available for execution on the device",
    hipErrorUnsupportedLimit: c"limit is not supported on this architecture",
    hipErrorPeerAccessUnsupported: c"peer access is not supported between these two devices",
    hipErrorInvalidKernelFile: c"invalid kernel file",
    hipErrorFileNotFound: c"file not found",
    hipErrorOperatingSystem: c"operating system call failed",
    hipErrorInvalidHandle: c"invalid resource handle",
    hipErrorIllegalState: c"the operation cannot be performed in the present state",
    hipErrorNotFound: c"named symbol not found",
    hipErrorNotReady: c"device not ready",
    hipErrorIllegalAddress: c"an illegal memory access was encountered",
    hipErrorLaunchOutOfResources: c"too many resources requested for launch",
    hipErrorLaunchTimeOut: c"the launch timed out and was terminated",
    hipErrorPeerAccessAlreadyEnabled: c"peer access is already enabled",
    hipErrorPeerAccessNotEnabled: c"peer access has not been enabled",
    hipErrorAssert: c"device-side assert triggered",
    hipErrorHostMemoryAlreadyRegistered: c"part or all of the requested memory range is already mapped",
    hipErrorHostMemoryNotRegistered: c"pointer does not correspond to a registered memory region",
    hipErrorLaunchFailure: c"unspecified launch failure",
    hipErrorCooperativeLaunchTooLarge: c"too many blocks in cooperative launch",
    hipErrorNotSupported: c"operation not supported",
    hipErrorUnknown: c"unknown error",
}

const UNKNOWN: (&CStr, &CStr) = (c"hipErrorUnknown", c"unknown error");

hip_api! {
    always fn hipDrvGetErrorName(hipError: hipError_t, errorString: *mut *const c_char) {
        // SAFETY: the program's pointer.
        unsafe { put(errorString, describe(hipError).ok_or(super::INVALID)?.0.as_ptr()) }
    }

    always fn hipDrvGetErrorString(hipError: hipError_t, errorString: *mut *const c_char) {
        // SAFETY: the program's pointer.
        unsafe { put(errorString, describe(hipError).ok_or(super::INVALID)?.1.as_ptr()) }
    }
}

/// `hipGetErrorName`, see HIP's manual.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub extern "C" fn hipGetErrorName(error: hipError_t) -> *const c_char {
    describe(error).unwrap_or(UNKNOWN).0.as_ptr()
}

/// `hipGetErrorString`, see HIP's manual.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub extern "C" fn hipGetErrorString(error: hipError_t) -> *const c_char {
    describe(error).unwrap_or(UNKNOWN).1.as_ptr()
}

/// `hipGetLastError`, see HIP's manual.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub extern "C" fn hipGetLastError() -> hipError_t {
    let error = last_error();
    LAST_ERROR.set(hipError_t::hipSuccess);
    error
}

/// `hipPeekAtLastError`, see HIP's manual.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub extern "C" fn hipPeekAtLastError() -> hipError_t {
    last_error()
}
