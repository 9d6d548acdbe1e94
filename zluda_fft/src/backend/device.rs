//! The driver, and its device that plans are for.

use cuda_types::cuda::CUerror;
use cuda_types::cufft::{CufftResult, cufftError};
use zluda_api::driver::{Driver, Failures, ProviderKind};

/// While a plan is made.
const SETUP: Failures<cufftError> =
    Failures { out_of_memory: cufftError::ALLOC_FAILED, ..Failures::all(cufftError::SETUP_FAILED) };

/// The driver; `SETUP_FAILED` where there is none.
pub(crate) fn driver() -> CufftResult<&'static Driver> {
    SETUP.driver()
}

/// The provider of the current context's device.
pub(crate) fn current() -> CufftResult<ProviderKind> {
    driver()?.current_provider().map_err(setup)
}

/// The reasons why a device takes no plan.
pub(super) fn setup(error: CUerror) -> cufftError {
    tracing::error!("{error}");
    SETUP.call(error)
}
