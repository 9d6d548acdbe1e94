//! Who computes: this machine's processor, for the devices whose memory is this machine's, by [`dense`]; AMD GPUs by
//! hipBLAS.
//!
//! The functions of [`crate::api`] check their arguments for both, and put work for the processor into the stream. On an AMD
//! GPU nothing comes of that: the call goes on to the function of hipBLAS that has the same arguments.

pub(crate) mod rocm;

use crate::device::{convert, driver};
use cuda_types::cublas::{CublasResult, cublasError};
use cuda_types::cuda::CUcontext;
use rocm::Blas;
use std::sync::Arc;
use zluda_api::driver::ProviderKind;

/// The engine that computes for a handle.
pub(crate) enum Backend {
    Host,
    Rocm(Arc<Blas>),
}

impl Backend {
    /// For the device of a context, which is the current one. `NOT_INITIALIZED` where it is an AMD GPU, and hipBLAS is not there.
    pub(crate) fn new(context: CUcontext) -> CublasResult<Backend> {
        let driver = driver()?;
        if driver.current_provider().map_err(convert)? != ProviderKind::Rocm {
            return Ok(Backend::Host);
        }
        // Asking for a stream makes its device that of the thread, as hipBLAS wants it.
        driver.stream(std::ptr::null_mut()).map_err(convert)?;
        Blas::new(context).map(Arc::new).map(Backend::Rocm)
    }
}

/// `INVALID_VALUE` for enumerators that hipBLAS has none of.
pub(crate) type Number = CublasResult<u32>;

pub(crate) const INVALID: Number = Err(cublasError::INVALID_VALUE);
