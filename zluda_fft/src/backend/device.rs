//! The driver, and its device that plans are for.

use cuda_types::cuda::CUerror;
use cuda_types::cufft::{CufftResult, cufftError};
use std::sync::LazyLock;
use zluda_api::driver::{Driver, ProviderKind};

static DRIVER: LazyLock<Option<Driver>> =
    LazyLock::new(|| Driver::open().inspect_err(|error| tracing::error!("{error}")).ok());

/// The driver; `SETUP_FAILED` where there is none.
pub(crate) fn driver() -> CufftResult<&'static Driver> {
    DRIVER.as_ref().ok_or(cufftError::SETUP_FAILED)
}

/// What runs the work of the current context's device.
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
