//! The end of a context while its streams wait for what others do (`hipStreamWaitValue32`, events of other processes).
//!
//! The end waits for all work, as that of a context on an NVIDIA GPU does. What nobody writes any more would keep it for
//! ever: once nothing else has run for a while, such waits are given up. The work behind them, which counts on what they
//! waited for, does not begin.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::busy;
use super::pool::Pool;

/// For how long nothing may have run. Another process, or a thread of this one that has no work in streams, may need as
/// long to write a word.
const PATIENCE: Duration = Duration::from_secs(5);

/// Of a context.
#[derive(Default)]
pub struct Ending {
    has_begun: AtomicBool,
    has_given_up: AtomicBool,
}

impl Ending {
    /// The context ends: waits do not wait for ever.
    pub fn begin(&self) {
        self.has_begun.store(true, Ordering::Release);
    }

    /// The context has ended, and may begin again.
    pub fn end(&self) {
        self.has_begun.store(false, Ordering::Relaxed);
        self.has_given_up.store(false, Ordering::Release);
    }

    /// Whether waits were given up: no work begins any more.
    #[inline]
    pub fn has_given_up(&self) -> bool {
        self.has_given_up.load(Ordering::Acquire)
    }

    /// Whether a wait is to be given up, which is asked again and again. `quiet` is since when nothing has run.
    pub fn gives_up(&self, quiet: &mut Option<Instant>) -> bool {
        if !self.has_begun.load(Ordering::Acquire) {
            return false;
        }
        if self.has_given_up() {
            return true;
        }
        if busy::is_anybody() || Pool::get().has_open_jobs() {
            *quiet = None;
            return false;
        }
        if quiet.get_or_insert_with(Instant::now).elapsed() < PATIENCE {
            return false;
        }
        if !self.has_given_up.swap(true, Ordering::AcqRel) {
            tracing::error!(
                "a context ends whose streams wait for what nobody does: the work behind that is given up"
            );
        }
        true
    }
}
