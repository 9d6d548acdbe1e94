//! The library that provides HIP.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use libloading::Library;

use crate::HipRuntime;

/// ROCm's library by its names, the newest first.
#[cfg(not(windows))]
const ROCM: &[&str] = &["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"];
#[cfg(windows)]
const ROCM: &[&str] = &["amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"];

/// A library that provides HIP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provider {
    /// ROCm's HIP, found as the system finds libraries.
    Rocm,
    /// This machine's processor: the path of `libzluda_hip_cpu.so`, which lies next to the driver.
    Cpu(PathBuf),
    /// Any other library that exports HIP.
    Path(PathBuf),
}

/// No library of a provider could be opened.
#[derive(Debug, thiserror::Error)]
#[error("no HIP library could be opened: {}", reasons.join("; "))]
pub struct OpenError {
    /// For each library that was tried, what the system said.
    pub reasons: Vec<String>,
}

impl Provider {
    /// Opens the provider's library and looks up its functions. Calls none of them.
    pub fn open(&self) -> Result<HipRuntime, OpenError> {
        let names: Vec<OsString> = match self {
            Provider::Rocm => ROCM.iter().map(OsString::from).collect(),
            Provider::Cpu(path) | Provider::Path(path) => vec![path.clone().into_os_string()],
        };
        let mut reasons = Vec::new();
        for name in names {
            match open(&name) {
                Ok(library) => {
                    let name = name.to_string_lossy().into_owned();
                    // SAFETY: the library was opened because it provides HIP.
                    return Ok(unsafe { HipRuntime::new(library, name, *self == Provider::Rocm) });
                }
                Err(error) => reasons.push(error.to_string()),
            }
        }
        Err(OpenError { reasons })
    }
}

fn open(name: &OsStr) -> Result<Library, libloading::Error> {
    // SAFETY: the initialisers of HIP libraries have no preconditions.
    unsafe { Library::new(name) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hipError_t;

    #[test]
    fn a_missing_library_is_an_error_that_names_it() {
        let error = Provider::Path("/nonexistent/libhip.so".into()).open().unwrap_err();
        assert_eq!(error.reasons.len(), 1);
        assert!(error.to_string().contains("/nonexistent/libhip.so"), "{error}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn functions_that_the_library_lacks_answer_not_supported() {
        // A library that has no HIP function at all.
        let hip = Provider::Path("libc.so.6".into()).open().unwrap();
        assert_eq!(hip.name(), "libc.so.6");
        assert!(!hip.has("hipInit"));
        // SAFETY: stubs read no argument.
        unsafe {
            assert_eq!(hip.hipInit(0), hipError_t::hipErrorNotSupported);
            assert!(hip.hipGetErrorName(hipError_t::hipSuccess).is_null());
        }
    }
}
