//! The driver, and its device that plans are for.

use cuda_types::cuda::CUerror;
use cuda_types::cufft::{CufftResult, cufftError};
use std::ptr::null_mut;
use std::sync::LazyLock;
use zluda_api::driver::{Driver, ProviderKind};

static DRIVER: LazyLock<Option<Driver>> =
    LazyLock::new(|| Driver::open().inspect_err(|error| tracing::error!("{error}")).ok());

/// The driver; `SETUP_FAILED` where there is none.
pub(crate) fn driver() -> CufftResult<&'static Driver> {
    DRIVER.as_ref().ok_or(cufftError::SETUP_FAILED)
}

/// Makes the first device's own context the current one where there is none, as the CUDA runtime would.
pub(crate) fn ensure_context() -> CufftResult {
    let driver = driver()?;
    let mut context = null_mut();
    // SAFETY: the places live during the calls.
    unsafe {
        driver
            .cuInit(0)
            .and_then(|()| driver.cuCtxGetCurrent(&mut context))
            .and_then(|()| match context.is_null() {
                true => driver
                    .cuDevicePrimaryCtxRetain(&mut context, 0)
                    .and_then(|()| driver.cuCtxSetCurrent(context)),
                false => Ok(()),
            })
            .map_err(setup)
    }
}

/// What runs the work of the current context's device.
pub(crate) fn current() -> CufftResult<ProviderKind> {
    ensure_context()?;
    let driver = driver()?;
    let mut device = 0;
    // SAFETY: the place lives during the call.
    unsafe { driver.cuCtxGetDevice(&mut device) }.map_err(setup)?;
    Ok(driver.device(device).map_err(setup)?.provider)
}

fn setup(error: CUerror) -> cufftError {
    tracing::error!("{error}");
    match error {
        CUerror::OUT_OF_MEMORY => cufftError::ALLOC_FAILED,
        _ => cufftError::SETUP_FAILED,
    }
}
