//! The libraries' contexts: what a program has set, and how work gets into its stream.

use crate::backend::rocm::Blas;
use crate::backend::{Backend, called_here, warn_here};
use crate::convert::FromC;
use crate::device::{convert, driver};
use crate::settings::Settings;
use cuda_types::cublas::*;
use cuda_types::cuda::{CUcontext, CUstream};
use parking_lot::Mutex;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind};

/// A context of cuBLAS, which is one of cuBLASLt too.
pub(crate) struct Handle {
    context: CUcontext,
    backend: Backend,
    settings: Mutex<Settings>,
}

// SAFETY: the driver's context is a number.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

static HANDLES: LazyLock<HandleTable<Handle>> = LazyLock::new(|| HandleTable::new(Kind::CUBLAS));

impl FromC<cublasHandle_t> for Arc<Handle> {
    unsafe fn from_c(handle: cublasHandle_t) -> CublasResult<Self> {
        let handle = HANDLES.get(handle as u64).ok_or(cublasError::NOT_INITIALIZED)?;
        Ok(match called_here() {
            Some(name) => handle.here(name),
            None => handle,
        })
    }
}

impl FromC<cublasLtHandle_t> for Arc<Handle> {
    unsafe fn from_c(handle: cublasLtHandle_t) -> CublasResult<Self> {
        HANDLES.get(handle as u64).ok_or(cublasError::NOT_INITIALIZED)
    }
}

impl Handle {
    /// Makes a context for the current device that programs have no handle of.
    pub(crate) fn make() -> CublasResult<Arc<Handle>> {
        let driver = driver()?;
        let context = driver.current_context().map_err(convert)?;
        let backend = Backend::new(context)?;
        let settings = Settings {
            stream: std::ptr::null_mut(),
            pointer_mode: cublasPointerMode_t::CUBLAS_POINTER_MODE_HOST,
            math_mode: cublasMath_t::CUBLAS_DEFAULT_MATH,
            atomics_mode: cublasAtomicsMode_t::CUBLAS_ATOMICS_NOT_ALLOWED,
            multiprocessors: 0,
            emulation: cublasEmulationStrategy_t::CUBLAS_EMULATION_STRATEGY_DEFAULT,
            special_values:
                cudaEmulationSpecialValuesSupport::CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT,
            mantissa_control: cudaEmulationMantissaControl::CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC,
            most_mantissa_bits: 0,
            mantissa_bit_offset: 0,
            mantissa_bit_count: 0,
        };
        Ok(Arc::new(Handle { context, backend, settings: Mutex::new(settings) }))
    }

    /// Makes a handle for the current device.
    pub(crate) fn create() -> CublasResult<u64> {
        HANDLES.insert(Handle::make()?).ok_or(cublasError::ALLOC_FAILED)
    }

    /// Ends a handle.
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
        self.settings().on_device()
    }

    /// hipBLAS, where an AMD GPU computes.
    pub(crate) fn rocm(&self) -> Option<&Arc<Blas>> {
        match &self.backend {
            Backend::Host => None,
            Backend::Rocm(blas) => Some(blas),
        }
    }

    /// The handle for what this machine's processor computes, whatever the device is; for an AMD GPU `what` is logged.
    pub(crate) fn here(self: Arc<Self>, what: &'static str) -> Arc<Handle> {
        if self.rocm().is_none() {
            return self;
        }
        warn_here(what);
        let settings = Mutex::new(self.settings());
        Arc::new(Handle { context: self.context, backend: Backend::Host, settings })
    }

    /// Puts work of `parts` parts into the handle's stream, where this machine's processor does it. Nothing is done where
    /// there is none.
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
        if self.rocm().is_some() {
            return Ok(());
        }
        zluda_api::driver::run(driver()?, (self.context, stream), parts, run).map_err(convert)
    }

    /// Waits for the handle's stream.
    pub(crate) fn wait(&self) -> CublasResult {
        // SAFETY: a stream is a number.
        unsafe { driver()?.cuStreamSynchronize(self.settings().stream) }.map_err(convert)
    }
}
