//! The driver as this library sees it: opened once, and its errors.

use cuda_types::cublas::{CublasResult, cublasError};
use cuda_types::cuda::CUerror;
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
