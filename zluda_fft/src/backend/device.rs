//! The driver, and its device that plans are for.

use cuda_types::cuda::CUerror;
use cuda_types::cufft::{CufftResult, cufftError};
use zluda_api::driver::{Driver, ProviderKind};

/// The driver; `SETUP_FAILED` where there is none.
pub(crate) fn driver() -> CufftResult<&'static Driver> {
    zluda_api::driver::shared().map_err(|_| cufftError::SETUP_FAILED)
}

/// The provider of the current context's device.
pub(crate) fn current() -> CufftResult<ProviderKind> {
    driver()?.current_provider().map_err(setup)
}

fn setup(error: CUerror) -> cufftError {
    tracing::error!("{error}");
    match error {
        CUerror::OUT_OF_MEMORY => cufftError::ALLOC_FAILED,
        _ => cufftError::SETUP_FAILED,
    }
}
