//! HIP's errors in CUDA's terms.

use cuda_types::cuda::{CUerror, CUres, CUresult, result_name};
use hip_runtime_sys::hipError_t;

/// CUDA's result for HIP's.
///
/// HIP took its codes from CUDA, those of the runtime API among them, which the driver API does not
/// have: they say that an argument was wrong.
pub(crate) fn check(error: hipError_t) -> CUres {
    if error == hipError_t::hipSuccess { Ok(()) } else { Err(convert(error)) }
}

#[cold]
fn convert(error: hipError_t) -> CUerror {
    let code = error.0;
    match code {
        // hipErrorInvalidConfiguration to hipErrorInvalidDeviceFunction, but for hipErrorNoDevice (100).
        9..=99 => CUerror::INVALID_VALUE,
        _ if result_name(CUresult(code)).is_some() => CUerror::of(CUresult(code)),
        _ => CUerror::UNKNOWN,
    }
}

/// Errors of a kernel, after which its context is of no use any more.
pub(crate) fn is_sticky(error: CUerror) -> bool {
    matches!(
        error,
        CUerror::ILLEGAL_ADDRESS
            | CUerror::LAUNCH_TIMEOUT
            | CUerror::ASSERT
            | CUerror::HARDWARE_STACK_ERROR
            | CUerror::ILLEGAL_INSTRUCTION
            | CUerror::MISALIGNED_ADDRESS
            | CUerror::INVALID_ADDRESS_SPACE
            | CUerror::INVALID_PC
            | CUerror::LAUNCH_FAILED
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hip_errors_become_cuda_errors() {
        assert_eq!(check(hipError_t::hipSuccess), Ok(()));
        for (hip, cuda) in [
            (hipError_t::hipErrorInvalidValue, CUerror::INVALID_VALUE),
            (hipError_t::hipErrorOutOfMemory, CUerror::OUT_OF_MEMORY),
            (hipError_t::hipErrorInvalidDevicePointer, CUerror::INVALID_VALUE),
            (hipError_t::hipErrorNoDevice, CUerror::NO_DEVICE),
            (hipError_t::hipErrorNotReady, CUerror::NOT_READY),
            (hipError_t::hipErrorIllegalAddress, CUerror::ILLEGAL_ADDRESS),
            (hipError_t::hipErrorAssert, CUerror::ASSERT),
            (hipError_t::hipErrorLaunchFailure, CUerror::LAUNCH_FAILED),
            (hipError_t::hipErrorRuntimeOther, CUerror::UNKNOWN),
        ] {
            assert_eq!(check(hip), Err(cuda));
        }
    }
}
