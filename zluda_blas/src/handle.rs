//! The libraries' contexts: what a program has set, and how work gets into its stream.

use crate::convert::FromC;
use cuda_types::cublas::*;
use cuda_types::cuda::{CUcontext, CUerror, CUstream};
use parking_lot::Mutex;
use std::sync::{Arc, LazyLock};
use zluda_api::driver::{Driver, OpenError, ProviderKind};
use zluda_common::handle::{HandleTable, Kind};

/// A context of cuBLAS, which is one of cuBLASLt too.
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
    pub(crate) pointer_mode: cublasPointerMode_t,
    pub(crate) math_mode: cublasMath_t,
    pub(crate) atomics_mode: cublasAtomicsMode_t,
    pub(crate) multiprocessors: i32,
    pub(crate) emulation: cublasEmulationStrategy_t,
}

static HANDLES: LazyLock<HandleTable<Handle>> = LazyLock::new(|| HandleTable::new(Kind::CUBLAS));

impl FromC<cublasHandle_t> for Arc<Handle> {
    unsafe fn from_c(handle: cublasHandle_t) -> CublasResult<Self> {
        HANDLES.get(handle as u64).ok_or(cublasError::NOT_INITIALIZED)
    }
}

impl FromC<cublasLtHandle_t> for Arc<Handle> {
    unsafe fn from_c(handle: cublasLtHandle_t) -> CublasResult<Self> {
        HANDLES.get(handle as u64).ok_or(cublasError::NOT_INITIALIZED)
    }
}

/// The driver, which is opened at the first call.
pub(crate) fn driver() -> CublasResult<&'static Driver> {
    zluda_api::driver::shared().map_err(|error| match error {
        OpenError::NotFound(_) => cublasError::NOT_INITIALIZED,
        OpenError::Foreign => cublasError::ARCH_MISMATCH,
    })
}

/// The driver's error as cuBLAS tells it.
pub(crate) fn convert(error: CUerror) -> cublasError {
    match error {
        CUerror::OUT_OF_MEMORY => cublasError::ALLOC_FAILED,
        CUerror::NO_DEVICE | CUerror::NOT_INITIALIZED => cublasError::NOT_INITIALIZED,
        CUerror::NOT_SUPPORTED => cublasError::NOT_SUPPORTED,
        _ => cublasError::EXECUTION_FAILED,
    }
}

impl Handle {
    /// Makes a handle for the current device.
    pub(crate) fn create() -> CublasResult<u64> {
        let driver = driver()?;
        let context = driver.current_context().map_err(convert)?;
        if driver.current_provider().map_err(convert)? == ProviderKind::Rocm {
            tracing::error!("unsupported: cuBLAS on AMD GPUs");
            return Err(cublasError::NOT_SUPPORTED);
        }
        let settings = Settings {
            stream: std::ptr::null_mut(),
            pointer_mode: cublasPointerMode_t::CUBLAS_POINTER_MODE_HOST,
            math_mode: cublasMath_t::CUBLAS_DEFAULT_MATH,
            atomics_mode: cublasAtomicsMode_t::CUBLAS_ATOMICS_NOT_ALLOWED,
            multiprocessors: 0,
            emulation: cublasEmulationStrategy_t::CUBLAS_EMULATION_STRATEGY_DEFAULT,
        };
        let handle = Arc::new(Handle { context, settings: Mutex::new(settings) });
        HANDLES.insert(handle).ok_or(cublasError::ALLOC_FAILED)
    }

    /// Ends a handle; what it was asked for is done first.
    pub(crate) fn destroy(handle: u64) -> CublasResult {
        HANDLES.remove(handle).map(drop).ok_or(cublasError::NOT_INITIALIZED)
    }

    pub(crate) fn settings(&self) -> Settings {
        *self.settings.lock()
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.settings.lock());
    }

    /// Whether numbers and results lie on the device.
    pub(crate) fn on_device(&self) -> bool {
        self.settings().pointer_mode == cublasPointerMode_t::CUBLAS_POINTER_MODE_DEVICE
    }

    /// Puts work of `parts` parts into the handle's stream. Nothing is done where there is none.
    pub(crate) fn run(
        &self,
        parts: usize,
        run: impl Fn(usize) + Send + Sync + 'static,
    ) -> CublasResult {
        self.run_in(self.settings().stream, parts, run)
    }

    /// As [`Self::run`], in a stream.
    pub(crate) fn run_in(
        &self,
        stream: CUstream,
        parts: usize,
        run: impl Fn(usize) + Send + Sync + 'static,
    ) -> CublasResult {
        zluda_api::driver::run(driver()?, (self.context, stream), parts, run).map_err(convert)
    }

    /// Waits for the handle's stream.
    pub(crate) fn wait(&self) -> CublasResult {
        // SAFETY: a stream is a number.
        unsafe { driver()?.cuStreamSynchronize(self.settings().stream) }.map_err(convert)
    }
}

/// The threads that run parts of work.
pub(crate) fn threads() -> usize {
    static THREADS: LazyLock<usize> =
        LazyLock::new(|| std::thread::available_parallelism().map_or(1, |count| count.get()));
    *THREADS
}
