//! The context that a library's functions work in, as the CUDA runtime chooses it.

use super::{Driver, ProviderKind};
use cuda_types::cuda::{CUcontext, CUerror, CUres, CUstream};
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

    /// Makes a context current on a thread that has none.
    // A context is a number, which nothing follows.
    #[allow(clippy::not_unsafe_ptr_arg_deref)]
    pub fn enter(&self, context: CUcontext) -> CUres {
        let mut current = null_mut();
        // SAFETY: the place lives during the call; the context is one of the driver's.
        unsafe {
            self.cuCtxGetCurrent(&mut current)?;
            if current.is_null() { self.cuCtxSetCurrent(context) } else { Ok(()) }
        }
    }

    /// Waits for the work of a stream. One that the program has ended, with all that was in it, is no error.
    // A stream is a number, which nothing follows.
    #[allow(clippy::not_unsafe_ptr_arg_deref)]
    pub fn finish(&self, stream: CUstream) -> CUres {
        // SAFETY: a stream is a number.
        match unsafe { self.cuStreamSynchronize(stream) } {
            Err(CUerror::INVALID_HANDLE | CUerror::CONTEXT_IS_DESTROYED) => Ok(()),
            result => result,
        }
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
