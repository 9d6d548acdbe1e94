//! The primary contexts of devices.

use super::Context;
use crate::core::device::driver::driver;
use cuda_types::cuda::{CUcontext, CUdevice, CUerror, CUres};
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

/// A device's primary context.
#[derive(Debug)]
pub(crate) struct Primary {
    device: CUdevice,
    /// Made when first asked for; the same one ever after.
    context: OnceLock<Arc<Context>>,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    retained: usize,
    flags: u32,
}

/// By the ordinals of the devices.
static PRIMARIES: OnceLock<Vec<Primary>> = OnceLock::new();

/// The primary context of a device; `INVALID_DEVICE` if there is no such device.
pub(crate) fn of_device(device: CUdevice) -> CUres<&'static Primary> {
    let driver = driver()?;
    let primary = |device| Primary { device, context: OnceLock::new(), state: Mutex::default() };
    let ordinals = || driver.devices.iter().map(|device| device.ordinal);
    let primaries = PRIMARIES.get_or_init(|| ordinals().map(primary).collect());
    usize::try_from(device).ok().and_then(|i| primaries.get(i)).ok_or(CUerror::INVALID_DEVICE)
}

impl Primary {
    /// The context, alive or not.
    pub(crate) fn context(&self) -> CUres<&Arc<Context>> {
        if let Some(context) = self.context.get() {
            return Ok(context);
        }
        let context = Context::new_primary(self.device)?;
        Ok(self.context.get_or_init(|| context))
    }

    /// Counts one more user of the context, which is alive from now on.
    pub(crate) fn retain(&self) -> CUres<CUcontext> {
        let context = self.context()?;
        let mut state = self.state.lock();
        state.retained += 1;
        context.revive(state.flags);
        Ok(context.handle())
    }

    /// Counts one user less; `INVALID_CONTEXT` when there is none. The last one ends the context's life.
    pub(crate) fn release(&self) -> CUres {
        let context = self.context()?;
        let mut state = self.state.lock();
        match state.retained {
            0 => return Err(CUerror::INVALID_CONTEXT),
            1 => {
                state.retained = 0;
                drop(state);
                context.end();
            }
            _ => state.retained -= 1,
        }
        Ok(())
    }

    /// Ends the life of the context, whoever uses it.
    pub(crate) fn reset(&self) -> CUres {
        let context = self.context()?;
        let mut state = self.state.lock();
        state.retained = 0;
        state.flags = 0;
        drop(state);
        context.end();
        Ok(())
    }

    /// Sets the flags of the context, which its present life has from now on too.
    pub(crate) fn set_flags(&self, flags: u32) -> CUres {
        self.state.lock().flags = flags;
        self.context()?.set_flags(flags);
        Ok(())
    }

    /// The flags of the context, and whether it is alive.
    pub(crate) fn state(&self) -> (u32, bool) {
        let alive = self.context.get().is_some_and(|context| context.is_alive());
        (self.state.lock().flags, alive)
    }
}
