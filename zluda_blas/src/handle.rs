//! The libraries' contexts: what a program has set, and how work gets into its stream.

use crate::convert::FromC;
use cuda_types::cublas::*;
use cuda_types::cuda::{CUcontext, CUerror, CUstream};
use parking_lot::Mutex;
use std::sync::{Arc, LazyLock};
pub(crate) use zluda_api::driver::threads;
use zluda_api::driver::{Driver, Failures, ProviderKind};
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

const FAILURES: Failures<cublasError> = Failures {
    no_driver: cublasError::NOT_INITIALIZED,
    foreign_driver: cublasError::ARCH_MISMATCH,
    out_of_memory: cublasError::ALLOC_FAILED,
    no_device: cublasError::NOT_INITIALIZED,
    not_supported: cublasError::NOT_SUPPORTED,
    other: cublasError::EXECUTION_FAILED,
};

/// The driver, which is opened at the first call.
pub(crate) fn driver() -> CublasResult<&'static Driver> {
    FAILURES.driver()
}

/// The driver's error as cuBLAS tells it.
pub(crate) fn convert(error: CUerror) -> cublasError {
    FAILURES.call(error)
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
