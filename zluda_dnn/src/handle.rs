//! The library's contexts: how work gets into their streams.

use crate::convert::FromC;
use cuda_types::cuda::{CUcontext, CUerror, CUstream};
use cuda_types::cudnn::{CudnnResult, cudnnContext, cudnnError, cudnnHandle_t};
use neural::{Stage, Work};
use parking_lot::Mutex;
use std::sync::{Arc, LazyLock};
use zluda_api::driver::{Driver, Failures, ProviderKind};
use zluda_common::handle::{HandleTable, Kind};

/// A context.
pub(crate) struct Handle {
    context: CUcontext,
    stream: Mutex<CUstream>,
}

// SAFETY: the driver's context and stream are numbers.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

static HANDLES: LazyLock<HandleTable<Handle>> = LazyLock::new(|| HandleTable::new(Kind::CUDNN));

impl FromC<*mut cudnnContext> for Arc<Handle> {
    unsafe fn from_c(handle: cudnnHandle_t) -> CudnnResult<Self> {
        HANDLES.get(handle as u64).ok_or(cudnnError::BAD_PARAM)
    }
}

const FAILURES: Failures<cudnnError> = Failures {
    no_driver: cudnnError::NOT_INITIALIZED,
    foreign_driver: cudnnError::NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER,
    out_of_memory: cudnnError::INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED,
    no_device: cudnnError::NOT_INITIALIZED,
    not_supported: cudnnError::NOT_SUPPORTED,
    other: cudnnError::EXECUTION_FAILED_CUDA_DRIVER,
};

/// The driver, which is opened at the first call.
fn driver() -> CudnnResult<&'static Driver> {
    FAILURES.driver()
}

/// The driver's error as cuDNN tells it.
fn convert(error: CUerror) -> cudnnError {
    FAILURES.call(error)
}

impl Handle {
    /// Makes a handle for the current device.
    pub(crate) fn create() -> CudnnResult<u64> {
        let driver = driver()?;
        let context = driver.current_context().map_err(convert)?;
        if driver.current_provider().map_err(convert)? == ProviderKind::Rocm {
            tracing::error!("unsupported: cuDNN on AMD GPUs");
            return Err(cudnnError::NOT_SUPPORTED_ARCH_MISMATCH);
        }
        let handle = Arc::new(Handle { context, stream: Mutex::new(std::ptr::null_mut()) });
        HANDLES.insert(handle).ok_or(cudnnError::INTERNAL_ERROR_HOST_ALLOCATION_FAILED)
    }

    /// Ends a handle. What it has put into streams goes on.
    pub(crate) fn destroy(handle: u64) -> CudnnResult {
        HANDLES.remove(handle).map(drop).ok_or(cudnnError::BAD_PARAM)
    }

    pub(crate) fn stream(&self) -> CUstream {
        *self.stream.lock()
    }

    pub(crate) fn set_stream(&self, stream: CUstream) {
        *self.stream.lock() = stream;
    }

    /// Puts a stage into the handle's stream.
    pub(crate) fn run(&self, stage: Stage) -> CudnnResult {
        let place = (self.context, self.stream());
        zluda_api::driver::run(driver()?, place, stage.parts, stage.run).map_err(convert)
    }

    /// Puts stages into the handle's stream, one after the other.
    pub(crate) fn run_all(&self, work: Work) -> CudnnResult {
        work.into_iter().try_for_each(|stage| self.run(stage))
    }
}
