//! Versions, which can be asked for at any time.

use crate::convert::{Out, put_text, versioned};
use cuda_types::nvml::*;
use std::ffi::{c_char, c_int, c_uint};
use zluda_api::driver::VERSION;

/// The first of NVIDIA's drivers with the version of CUDA that the driver reports.
const DRIVER: &str = if cfg!(windows) { "580.88" } else { "580.65.06" };

/// The branch that `DRIVER` was built from, as NVIDIA names it.
const BRANCH: &str = "r580_78";

pub(crate) fn nvmlSystemGetDriverVersion(version: Out<c_char>, length: c_uint) -> NvmlResult {
    put_text(version, length, DRIVER)
}

pub(crate) fn nvmlSystemGetNVMLVersion(version: Out<c_char>, length: c_uint) -> NvmlResult {
    put_text(version, length, &format!("{}.{DRIVER}", VERSION / 1000))
}

pub(crate) fn nvmlSystemGetCudaDriverVersion(version: Out<c_int>) -> NvmlResult {
    version.set(VERSION)
}

pub(crate) fn nvmlSystemGetDriverBranch(
    info: *mut nvmlSystemDriverBranchInfo_t,
    length: c_uint,
) -> NvmlResult {
    let mut filled = versioned(info, 1)?;
    let text = &mut filled.branch;
    let length = length.min(text.len() as c_uint);
    put_text(Out::of(text.as_mut_ptr()), length, BRANCH)?;
    Out::of(info).set(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branch_is_that_of_the_version_and_fits_the_length() {
        let asked = |version, length| {
            let mut info = nvmlSystemDriverBranchInfo_t { version, branch: [b'x' as c_char; 80] };
            let status = nvmlSystemGetDriverBranch(&mut info, length);
            let bytes = info.branch.map(|byte| byte as u8);
            (status, bytes.split(|byte| *byte == 0).next().unwrap().to_vec())
        };
        // The version's macro: the size of the structure, and 1 in the top byte.
        let version = 1 << 24 | 84;
        let untouched = vec![b'x'; 80];
        let release = DRIVER.split('.').next().unwrap();
        for length in [8, 80, 81, c_uint::MAX] {
            let (status, branch) = asked(version, length);
            assert_eq!(status, Ok(()));
            assert!(branch.starts_with(format!("r{release}_").as_bytes()), "{branch:?}");
        }
        for length in [0, 7] {
            assert_eq!(
                asked(version, length),
                (Err(nvmlError::INSUFFICIENT_SIZE), untouched.clone())
            );
        }
        for version in [0, 84, 2 << 24 | 84] {
            assert_eq!(
                asked(version, 80),
                (Err(nvmlError::ARGUMENT_VERSION_MISMATCH), untouched.clone())
            );
        }
        assert_eq!(
            nvmlSystemGetDriverBranch(std::ptr::null_mut(), 80),
            Err(nvmlError::INVALID_ARGUMENT)
        );
    }
}
