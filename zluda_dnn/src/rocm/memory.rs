//! Memory to work in, which lives as long as a stream needs it.

// The names are HIP's.
#![allow(non_snake_case)]

use super::Refusal;
use hip_runtime_sys::hipStream_t;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::LazyLock;
use zluda_api::rocm::{OpenError, RocmLibrary, Source};

zluda_api::rocm_functions! {
    hipMallocAsync(dev_ptr: *mut *mut c_void, size: usize, stream: hipStream_t);
    hipFreeAsync(dev_ptr: *mut c_void, stream: hipStream_t);
}

/// The HIP library that the driver uses.
const SOURCE: Source = Source {
    name: "HIP",
    files: &[
        ("libamdhip64.so.7", &["libamdhip64.so.7"]),
        ("libamdhip64.so.6", &["libamdhip64.so.6"]),
        ("libamdhip64.so.5", &["libamdhip64.so.5"]),
    ],
};

fn functions() -> Result<&'static Functions, Refusal> {
    static FUNCTIONS: LazyLock<Result<Functions, OpenError>> =
        LazyLock::new(|| RocmLibrary::functions(&SOURCE, Functions::new));
    FUNCTIONS.as_ref().map_err(|error| Refusal::Missing(error.to_string()))
}

/// Memory that is allocated and freed in the order of a stream.
pub(super) struct Scratch {
    functions: &'static Functions,
    stream: hipStream_t,
    pub(super) place: *mut c_void,
}

impl Scratch {
    /// So many bytes; null for none.
    pub(super) fn new(size: usize, stream: hipStream_t) -> Result<Scratch, Refusal> {
        let functions = functions()?;
        let mut place = null_mut();
        if size != 0 {
            // SAFETY: the place lives during the call; the stream is the provider's.
            let error = unsafe { (functions.hipMallocAsync)(&mut place, size, stream) };
            Refusal::check("hipMallocAsync", error)?;
        }
        Ok(Scratch { functions, stream, place })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.place.is_null() {
            return;
        }
        // SAFETY: the memory is this one's, and what uses it stands before in the stream.
        let error = unsafe { (self.functions.hipFreeAsync)(self.place, self.stream) };
        if error != 0 {
            tracing::debug!("hipFreeAsync gave {error}");
        }
    }
}
