//! The library's contexts: what a program has set, and how work gets into its stream.

use crate::convert::FromC;
use cuda_types::cuda::{CUcontext, CUerror, CUstream};
use cuda_types::cusolver::*;
use parking_lot::Mutex;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};
use zluda_api::driver::{Driver, Failures};
use zluda_common::handle::{HandleTable, Kind};

/// A context of the dense or of the sparse part.
pub(crate) struct Handle {
    context: CUcontext,
    settings: Mutex<Settings>,
}

// SAFETY: the driver's context is a number.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

/// The settings of a handle.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) stream: CUstream,
    pub(crate) deterministic: cusolverDeterministicMode_t,
    pub(crate) math: cusolverMathMode_t,
}

type Handles = LazyLock<HandleTable<Handle>>;

static DENSE: Handles = LazyLock::new(|| HandleTable::new(Kind::CUSOLVER_DN));
static SPARSE: Handles = LazyLock::new(|| HandleTable::new(Kind::CUSOLVER_SP));

impl FromC<cusolverDnHandle_t> for Arc<Handle> {
    unsafe fn from_c(handle: cusolverDnHandle_t) -> CusolverResult<Self> {
        DENSE.get(handle as u64).ok_or(cusolverError::NOT_INITIALIZED)
    }
}

/// A context of the sparse part.
pub(crate) struct Sparse(Arc<Handle>);

impl Deref for Sparse {
    type Target = Handle;

    fn deref(&self) -> &Handle {
        &self.0
    }
}

impl FromC<cusolverSpHandle_t> for Sparse {
    unsafe fn from_c(handle: cusolverSpHandle_t) -> CusolverResult<Self> {
        SPARSE.get(handle as u64).map(Sparse).ok_or(cusolverError::NOT_INITIALIZED)
    }
}

const FAILURES: Failures<cusolverError> = Failures {
    no_driver: cusolverError::NOT_INITIALIZED,
    foreign_driver: cusolverError::ARCH_MISMATCH,
    out_of_memory: cusolverError::ALLOC_FAILED,
    no_device: cusolverError::NOT_INITIALIZED,
    not_supported: cusolverError::NOT_SUPPORTED,
    other: cusolverError::EXECUTION_FAILED,
};

/// The driver, which is opened at the first call.
fn driver() -> CusolverResult<&'static Driver> {
    FAILURES.driver()
}

/// The driver's error as cuSOLVER tells it.
fn convert(error: CUerror) -> cusolverError {
    FAILURES.call(error)
}

impl Handle {
    fn new() -> CusolverResult<Arc<Handle>> {
        let driver = driver()?;
        let context = driver.current_context().map_err(convert)?;
        let settings = Settings {
            stream: std::ptr::null_mut(),
            deterministic: cusolverDeterministicMode_t::CUSOLVER_DETERMINISTIC_RESULTS,
            math: cusolverMathMode_t::CUSOLVER_DEFAULT_MATH,
        };
        Ok(Arc::new(Handle { context, settings: Mutex::new(settings) }))
    }

    /// Makes a handle for the current device.
    pub(crate) fn create_dense() -> CusolverResult<u64> {
        DENSE.insert(Handle::new()?).ok_or(cusolverError::ALLOC_FAILED)
    }

    /// As [`Self::create_dense`].
    pub(crate) fn create_sparse() -> CusolverResult<u64> {
        SPARSE.insert(Handle::new()?).ok_or(cusolverError::ALLOC_FAILED)
    }

    /// Ends a handle; what it was asked for is done first.
    pub(crate) fn destroy_dense(handle: u64) -> CusolverResult {
        Handle::destroy(&DENSE, handle)
    }

    /// As [`Self::destroy_dense`].
    pub(crate) fn destroy_sparse(handle: u64) -> CusolverResult {
        Handle::destroy(&SPARSE, handle)
    }

    fn destroy(handles: &Handles, handle: u64) -> CusolverResult {
        let object = handles.get(handle).ok_or(cusolverError::NOT_INITIALIZED)?;
        // Its memory may be the program's next: what was asked for is done before.
        let finished = driver()?.finish(object.settings().stream).map_err(convert);
        handles.remove(handle).map(drop).ok_or(cusolverError::NOT_INITIALIZED)?;
        finished
    }

    pub(crate) fn settings(&self) -> Settings {
        *self.settings.lock()
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.settings.lock());
    }

    /// Puts work of `parts` parts into the handle's stream. Nothing is done where there is none.
    pub(crate) fn run(
        &self,
        parts: usize,
        run: impl Fn(usize) + Send + Sync + 'static,
    ) -> CusolverResult {
        let place = (self.context, self.settings().stream);
        zluda_api::driver::run(driver()?, place, parts, run).map_err(convert)
    }

    /// Waits for the handle's stream.
    pub(crate) fn wait(&self) -> CusolverResult {
        // SAFETY: a stream is a number.
        unsafe { driver()?.cuStreamSynchronize(self.settings().stream) }.map_err(convert)
    }
}
