//! The primary contexts of devices.

use super::Context;
use crate::core::device::driver::driver;
use cuda_types::cuda::{CUcontext, CUdevice, CUerror, CUres};
use parking_lot::{Mutex, ReentrantMutex};
use std::sync::{Arc, OnceLock};

/// A device's primary context.
#[derive(Debug)]
pub(crate) struct Primary {
    device: CUdevice,
    /// Made when first asked for; the same one ever after.
    context: OnceLock<Arc<Context>>,
    /// Held while a life of the context begins or ends, before `state`. What ends with a context may call back: the
    /// destructors of its storage.
    life: ReentrantMutex<()>,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    retained: usize,
    /// The green contexts among those who retain it.
    greens: usize,
    flags: u32,
}

/// By the ordinals of the devices.
static PRIMARIES: OnceLock<Vec<Primary>> = OnceLock::new();

/// The primary context of a device; `INVALID_DEVICE` if there is no such device.
pub(crate) fn of_device(device: CUdevice) -> CUres<&'static Primary> {
    let driver = driver()?;
    let primary = |device| Primary {
        device,
        context: OnceLock::new(),
        life: ReentrantMutex::new(()),
        state: Mutex::default(),
    };
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
        Ok(self.count(0)?.handle())
    }

    /// As above, for a green context.
    pub(crate) fn retain_green(&self) -> CUres<&Arc<Context>> {
        self.count(1)
    }

    fn count(&self, greens: usize) -> CUres<&Arc<Context>> {
        let context = self.context()?;
        let _life = self.life.lock();
        let mut state = self.state.lock();
        state.retained += 1;
        state.greens += greens;
        context.revive(driver()?, state.flags);
        Ok(context)
    }

    /// Counts one user less; `INVALID_CONTEXT` when there is none. The last one ends the context's life; but as long as
    /// there are green contexts it goes on, and the answer is `NOT_PERMITTED`.
    pub(crate) fn release(&self) -> CUres {
        let context = self.context()?;
        let _life = self.life.lock();
        let mut state = self.state.lock();
        state.retained = state.retained.checked_sub(1).ok_or(CUerror::INVALID_CONTEXT)?;
        match (state.retained, state.greens) {
            (0, 0) => {
                state.flags = 0;
                drop(state);
                context.end();
                Ok(())
            }
            // An H100 has counted all the same.
            (0, _) => Err(CUerror::NOT_PERMITTED),
            _ => Ok(()),
        }
    }

    /// A green context ends.
    pub(crate) fn release_green(&self) {
        let Some(context) = self.context.get() else { return };
        let _life = self.life.lock();
        let mut state = self.state.lock();
        state.retained = state.retained.saturating_sub(1);
        state.greens = state.greens.saturating_sub(1);
        if state.retained == 0 && state.greens == 0 {
            drop(state);
            context.end();
        }
    }

    /// Ends the life of the context, whoever uses it but green contexts: `NOT_PERMITTED` if there are any. Its users stay
    /// users, of the next life too.
    pub(crate) fn reset(&self) -> CUres {
        let context = self.context()?;
        let _life = self.life.lock();
        let mut state = self.state.lock();
        if state.greens != 0 {
            return Err(CUerror::NOT_PERMITTED);
        }
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
