//! Green contexts: parts of a device, to work on in its primary context. All that belongs to a context belongs to that one;
//! a green context has streams of its own.

use super::primary::{self, Primary};
use super::{Context, Current, NEXT_ID, enter, forget};
use crate::convert::FromC;
use crate::core::device::part::Description;
use cuda_types::cuda::{CUerror, CUgreenCtx, CUres};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind};

#[derive(Debug)]
pub(crate) struct Green {
    /// A number that no other context of the process has.
    pub(crate) id: u64,
    handle: u64,
    /// The primary context of the device, retained as long as this one lives.
    pub(crate) context: Arc<Context>,
    primary: &'static Primary,
    pub(crate) description: Description,
    alive: AtomicBool,
}

static GREENS: LazyLock<HandleTable<Green>> =
    LazyLock::new(|| HandleTable::new(Kind::GREEN_CONTEXT));

/// The handles of those that have ended, the newest last.
static ENDED: Mutex<VecDeque<u64>> = Mutex::new(VecDeque::new());

/// The number of green contexts whose handles, and those of their streams, are known after they have ended.
const REMEMBERED: usize = 1024;

impl FromC<CUgreenCtx> for Arc<Green> {
    unsafe fn from_c(handle: CUgreenCtx) -> CUres<Self> {
        Green::from_handle(handle as u64).ok_or(CUerror::INVALID_CONTEXT)
    }
}

impl Green {
    /// A green context of these multiprocessors.
    pub(crate) fn create(description: Description) -> CUres<Arc<Green>> {
        let primary = primary::of_device(description.device)?;
        let context = primary.retain_green()?.clone();
        let mut made = None;
        let handle = GREENS.insert_with(|handle| {
            let green = Arc::new(Green {
                id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
                handle,
                primary,
                context,
                description,
                alive: AtomicBool::new(true),
            });
            made = Some(green.clone());
            green
        });
        made.filter(|_| handle.is_some()).ok_or_else(|| {
            primary.release_green();
            CUerror::OUT_OF_MEMORY
        })
    }

    /// The green context with this handle, which may have ended.
    pub(crate) fn from_handle(handle: u64) -> Option<Arc<Green>> {
        GREENS.get(handle)
    }

    /// The program's handle, of the green context and of the context that it is.
    pub(crate) fn handle(&self) -> u64 {
        self.handle
    }

    /// `CONTEXT_IS_DESTROYED` once it has ended.
    pub(crate) fn check_alive(&self) -> CUres {
        match self.alive.load(Ordering::Acquire) {
            true => Ok(()),
            false => Err(CUerror::CONTEXT_IS_DESTROYED),
        }
    }

    /// Enters the green context, which need not be current.
    pub(crate) fn enter(self: &Arc<Self>) -> CUres<Current> {
        self.check_alive()?;
        Ok(Current { green: Some(self.clone()), ..enter(&self.context)? })
    }

    /// Ends the green context and gives the primary one back. Its streams are of no use any more.
    pub(crate) fn end(&self) -> CUres {
        if !self.alive.swap(false, Ordering::AcqRel) {
            return Err(CUerror::CONTEXT_IS_DESTROYED);
        }
        let mut ended = ENDED.lock();
        ended.push_back(self.handle);
        let oldest = if ended.len() > REMEMBERED { ended.pop_front() } else { None };
        drop(ended);
        if let Some(oldest) = oldest.and_then(|oldest| GREENS.remove(oldest)) {
            forget(oldest.id);
        }
        self.primary.release_green();
        Ok(())
    }
}
