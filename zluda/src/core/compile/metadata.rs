//! The parts of a PTX module that the driver has to know of besides its code: kernels and variables. Kept in the cache
//! beside the code, so that a program's second run does not read the PTX.

use cuda_types::cuda::{CUerror, CUres};
use ptx::{GlobalLayout, KernelInfo};
use serde::{Deserialize, Serialize};

/// Everything about one module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) kernels: Vec<KernelInfo>,
    pub(crate) globals: GlobalLayout,
}

/// The error that a program gets which asks for a kernel that cannot be compiled.
pub(crate) fn check_kernel(kernel: &KernelInfo) -> CUres {
    let Some(error) = &kernel.error else { return Ok(()) };
    if zluda_common::log::first_time(&error.text) {
        tracing::warn!("kernel {} cannot be compiled: {}", kernel.name, error.text);
    }
    Err(if error.invalid { CUerror::INVALID_PTX } else { CUerror::NOT_SUPPORTED })
}

impl Metadata {
    /// The bytes for the cache.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        postcard::to_stdvec(self).ok()
    }

    /// `None`: these are not the bytes that [`to_bytes`](Self::to_bytes) made.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Metadata> {
        postcard::from_bytes(bytes).ok()
    }
}
