//! The driver as this library sees it: its errors, and the context of a handle.

use cuda_types::cublas::{CublasResult, cublasError};
use cuda_types::cuda::{CUcontext, CUerror};
use zluda_api::driver::{Driver, Failures};

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

/// Makes a context current on a thread that has none.
pub(crate) fn enter(context: CUcontext) -> CublasResult {
    let driver = driver()?;
    let mut current = std::ptr::null_mut();
    // SAFETY: the place lives during the call; the context is one of the driver's.
    unsafe {
        driver.cuCtxGetCurrent(&mut current).map_err(convert)?;
        if current.is_null() {
            driver.cuCtxSetCurrent(context).map_err(convert)?;
        }
    }
    Ok(())
}
