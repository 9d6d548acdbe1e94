//! HIP's errors in CUDA's terms.

pub(crate) mod text;

use cuda_types::cuda::{CUerror, CUres, CUresult, result_name};
use hip_runtime_sys::hipError_t;
use zluda_common::handle::is_handle;

/// CUDA's result for HIP's.
///
/// HIP took its codes from CUDA, those of the runtime API among them, which the driver API does not
/// have: they say that an argument was wrong.
pub(crate) fn check(error: hipError_t) -> CUres {
    if error == hipError_t::hipSuccess { Ok(()) } else { Err(convert(error)) }
}

/// The error for what is no array or no event: a handle of something that is gone, or of another kind, is
/// `INVALID_HANDLE`. What never was a handle is `INVALID_CONTEXT`, as NVIDIA's driver looks for the context there.
#[cold]
pub(crate) fn no_object(handle: u64) -> CUerror {
    match handle == 0 || is_handle(handle) {
        true => CUerror::INVALID_HANDLE,
        false => CUerror::INVALID_CONTEXT,
    }
}

/// CUDA's error for HIP's; for any number, those of later versions too.
#[cold]
pub(crate) fn convert(error: hipError_t) -> CUerror {
    use hipError_t as E;
    match error {
        // Numbers that CUDA's driver API does not have, or has for something else.
        E::hipErrorInsufficientDriver => CUerror::SYSTEM_DRIVER_MISMATCH,
        E::hipErrorPriorLaunchFailure => CUerror::LAUNCH_FAILED,
        E::hipErrorInvalidDeviceFunction => CUerror::NO_BINARY_FOR_GPU,
        E::hipErrorInvalidChannelDescriptor | E::hipErrorInvalidTexture => CUerror::INVALID_VALUE,
        E::hipErrorRuntimeMemory => CUerror::OUT_OF_MEMORY,
        // A file with a kernel: an image, as far as programs know.
        E::hipErrorInvalidKernelFile => CUerror::INVALID_IMAGE,
        // Errors of the runtime API's arguments.
        E(9..=99) => CUerror::INVALID_VALUE,
        E(code) if result_name(CUresult(code)).is_some() => CUerror::of(CUresult(code)),
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

    /// CUDA's error for each of HIP's; those that are not here have CUDA's numbers and meaning.
    const OWN: &[(hipError_t, CUerror)] = &[
        (hipError_t::hipErrorInvalidConfiguration, CUerror::INVALID_VALUE),
        (hipError_t::hipErrorInvalidPitchValue, CUerror::INVALID_VALUE),
        (hipError_t::hipErrorInvalidSymbol, CUerror::INVALID_VALUE),
        (hipError_t::hipErrorInvalidDevicePointer, CUerror::INVALID_VALUE),
        (hipError_t::hipErrorInvalidMemcpyDirection, CUerror::INVALID_VALUE),
        (hipError_t::hipErrorInsufficientDriver, CUerror::SYSTEM_DRIVER_MISMATCH),
        (hipError_t::hipErrorMissingConfiguration, CUerror::INVALID_VALUE),
        (hipError_t::hipErrorPriorLaunchFailure, CUerror::LAUNCH_FAILED),
        (hipError_t::hipErrorInvalidDeviceFunction, CUerror::NO_BINARY_FOR_GPU),
        (hipError_t::hipErrorInvalidKernelFile, CUerror::INVALID_IMAGE),
        (hipError_t::hipErrorInvalidChannelDescriptor, CUerror::INVALID_VALUE),
        (hipError_t::hipErrorInvalidTexture, CUerror::INVALID_VALUE),
        (hipError_t::hipErrorRuntimeMemory, CUerror::OUT_OF_MEMORY),
        (hipError_t::hipErrorRuntimeOther, CUerror::UNKNOWN),
        (hipError_t::hipErrorTbd, CUerror::UNKNOWN),
    ];

    /// The errors that HIP and CUDA call alike, apart from the spelling.
    const RENAMED: &[(&str, &str)] = &[
        ("MEMORY_ALLOCATION", "OUT_OF_MEMORY"),
        ("INITIALIZATION_ERROR", "NOT_INITIALIZED"),
        ("MAP_BUFFER_OBJECT_FAILED", "MAP_FAILED"),
        ("INVALID_RESOURCE_HANDLE", "INVALID_HANDLE"),
        ("E_C_C_NOT_CORRECTABLE", "ECC_UNCORRECTABLE"),
        ("LAUNCH_TIME_OUT", "LAUNCH_TIMEOUT"),
        ("LAUNCH_FAILURE", "LAUNCH_FAILED"),
        ("SET_ON_ACTIVE_PROCESS", "PRIMARY_CONTEXT_ACTIVE"),
    ];

    /// `hipErrorNotReady` as CUDA spells it.
    fn spelled(name: &str) -> String {
        let mut text = String::new();
        for character in name.trim_start_matches("hipError").chars() {
            if character.is_uppercase() && !text.is_empty() {
                text.push('_');
            }
            text.push(character.to_ascii_uppercase());
        }
        let renamed = RENAMED.iter().find(|(hip, _)| *hip == text);
        renamed.map_or(text, |(_, cuda)| (*cuda).to_owned())
    }

    #[test]
    fn every_hip_error_becomes_the_cuda_error_that_means_the_same() {
        assert_eq!(check(hipError_t::hipSuccess), Ok(()));
        let bindings = include_str!("../../../../ext/hip_runtime-sys/src/generated.rs");
        let words = bindings.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut count = 0;
        for constant in words.split("pub const hipError").skip(1) {
            let (name, value) = constant.split_once(": hipError_t = hipError_t(").unwrap();
            let digits = value.split_once(')').unwrap().0;
            let code: u32 = digits.trim_matches([' ', ',']).parse().unwrap();
            let own = OWN.iter().find(|(hip, _)| hip.0 == code);
            match (own, convert(hipError_t(code))) {
                (Some((_, expected)), found) => assert_eq!(found, *expected, "hipError{name}"),
                (None, found) => assert_eq!(
                    result_name(CUresult(found.0.get())).unwrap().to_str(),
                    Ok(format!("CUDA_ERROR_{}", spelled(name)).as_str())
                ),
            }
            count += 1;
        }
        assert!(count >= 79, "{count} errors are in the bindings");
        // Numbers that nobody has given out yet.
        assert_eq!(check(hipError_t(7777)), Err(CUerror::UNKNOWN));
    }
}
