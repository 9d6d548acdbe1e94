//! Who computes: this machine's processor by [`dense`], for its own devices and where hipBLAS is not there; AMD GPUs by hipBLAS.
//!
//! The functions of [`crate::api`] check their arguments for both, and put work for the processor into the stream. On an AMD
//! GPU nothing comes of that: the call goes on to the function of hipBLAS that has the same arguments. Where that does not
//! support it the processor [computes after all](compute_here), with copies there and back, which is slow, and is logged once.

pub(crate) mod rocm;

use crate::device::{convert, driver};
use cuda_types::cublas::{CublasResult, cublasError};
use cuda_types::cuda::CUcontext;
use parking_lot::Mutex;
use rocm::Blas;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use zluda_api::driver::ProviderKind;

/// The engine that computes for a handle.
pub(crate) enum Backend {
    Host,
    Rocm(Arc<Blas>),
}

impl Backend {
    /// For the device of a context, which is the current one.
    pub(crate) fn new(context: CUcontext) -> CublasResult<Backend> {
        let driver = driver()?;
        if driver.current_provider().map_err(convert)? != ProviderKind::Rocm {
            return Ok(Backend::Host);
        }
        // Asking for a stream makes its device that of the thread, as hipBLAS wants it.
        driver.stream(std::ptr::null_mut()).map_err(convert)?;
        Ok(match Blas::new(context) {
            Ok(blas) => Backend::Rocm(Arc::new(blas)),
            Err(_) => {
                warn_here("cuBLAS");
                Backend::Host
            }
        })
    }
}

/// Says, the first time, that the processor computes for an AMD GPU.
pub(crate) fn warn_here(what: &'static str) {
    static KNOWN: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    if KNOWN.lock().insert(what) {
        tracing::warn!("{what}: the processor computes for the AMD GPU, which is slow");
    }
}

thread_local! {
    static HERE: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Makes a call again whose handles are those of this machine's processor.
pub(crate) fn compute_here(
    name: &'static str,
    call: impl FnOnce() -> CublasResult,
) -> CublasResult {
    HERE.set(Some(name));
    let result = call();
    HERE.set(None);
    result
}

/// The name of such a call, where one is made.
pub(crate) fn called_here() -> Option<&'static str> {
    HERE.get()
}

/// `INVALID_VALUE` for enumerators that hipBLAS has none of.
pub(crate) type Number = CublasResult<u32>;

pub(crate) const INVALID: Number = Err(cublasError::INVALID_VALUE);
