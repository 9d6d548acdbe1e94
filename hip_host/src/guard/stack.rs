//! Stacks of kernel coroutines.
//!
//! All of them lie in one reserved range of addresses, so that a signal handler can tell with two
//! comparisons whether a fault happened on one. Pages are committed as they are touched; below each
//! stack lies an inaccessible guard.

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use corosensei::stack::{Stack, StackPointer};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::os::memory;
use crate::os::stack::{self, GUARD, RESERVE};

/// The least of reserved addresses that is worth having.
const RESERVE_LEAST: usize = 256 << 20;

struct Region {
    start: usize,
    end: usize,
    next: AtomicUsize,
    /// Stacks to use again, by size.
    free: Mutex<FxHashMap<usize, Vec<usize>>>,
}

static REGION: OnceLock<Option<Region>> = OnceLock::new();

fn region() -> Option<&'static Region> {
    REGION
        .get_or_init(|| {
            let mut size = RESERVE;
            while size >= RESERVE_LEAST {
                if let Some(start) = memory::reserve(size) {
                    let (next, free) = (AtomicUsize::new(start), Mutex::default());
                    return Some(Region { start, end: start + size, next, free });
                }
                size /= 4;
            }
            None
        })
        .as_ref()
}

/// Whether an address lies on a kernel's stack or its guard. May be called in signal handlers.
pub fn contains(address: usize) -> bool {
    matches!(REGION.get(), Some(Some(region)) if (region.start..region.end).contains(&address))
}

/// A stack of a kernel coroutine; goes back to the free ones when dropped.
pub struct KernelStack {
    /// The lowest address, guard included.
    start: usize,
    /// Usable bytes.
    size: usize,
}

impl KernelStack {
    /// A stack of at least `size` bytes, or nothing where memory or mappings are exhausted.
    pub fn new(size: usize) -> Option<KernelStack> {
        let size = size.max(16 << 10).next_power_of_two();
        let region = region()?;
        if let Some(start) = region.free.lock().get_mut(&size).and_then(Vec::pop) {
            return Some(KernelStack { start, size });
        }
        let whole = size + GUARD;
        let start = region
            .next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
                next.checked_add(whole).filter(|end| *end <= region.end)
            })
            .ok()?;
        stack::make(start, size).then_some(KernelStack { start, size })
    }
}

impl KernelStack {
    /// The stack, on which frames may have ended without returning, for a new coroutine.
    #[inline]
    pub fn cleared(self) -> KernelStack {
        super::sanitizer::forget_frames(self.start + GUARD, self.size);
        self
    }
}

impl Drop for KernelStack {
    fn drop(&mut self) {
        if let Some(region) = region() {
            region.free.lock().entry(self.size).or_default().push(self.start);
        }
    }
}

// SAFETY: a guard lies below the stack, which has at least 16 KiB.
unsafe impl Stack for KernelStack {
    fn base(&self) -> StackPointer {
        NonZeroUsize::new(self.start + GUARD + self.size).unwrap_or(NonZeroUsize::MAX)
    }

    fn limit(&self) -> StackPointer {
        NonZeroUsize::new(self.start).unwrap_or(NonZeroUsize::MIN)
    }

    #[cfg(windows)]
    fn teb_fields(&self) -> corosensei::stack::StackTebFields {
        stack::teb_fields(self.start, self.size)
    }

    #[cfg(windows)]
    fn update_teb_fields(&mut self, _stack_limit: usize, _guaranteed_stack_bytes: usize) {}
}
