//! The context that a library's functions work in, as the CUDA runtime chooses it.

use super::{Driver, ProviderKind};
use cuda_types::cuda::{CUcontext, CUres};
use std::ptr::null_mut;

impl Driver {
    /// The current context. Where there is none the first device's primary one becomes it; the driver is started if it has
    /// not been.
    pub fn current_context(&self) -> CUres<CUcontext> {
        let mut context = null_mut();
        // SAFETY: the places live during the calls.
        unsafe {
            self.cuInit(0)?;
            self.cuCtxGetCurrent(&mut context)?;
            if context.is_null() {
                self.cuDevicePrimaryCtxRetain(&mut context, 0)?;
                self.cuCtxSetCurrent(context)?;
            }
        }
        Ok(context)
    }

    /// The provider that runs the work of the [current context](Self::current_context)'s device.
    pub fn current_provider(&self) -> CUres<ProviderKind> {
        self.current_context()?;
        let mut device = 0;
        // SAFETY: the place lives during the call.
        unsafe { self.cuCtxGetDevice(&mut device) }?;
        Ok(self.device(device)?.provider)
    }
}
