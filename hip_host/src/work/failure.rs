//! The error that a kernel left with its device: no kernel begins there, and every call returns it, until the device is
//! reset.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use hip_runtime_sys::hipError_t;

#[derive(Debug)]
pub struct Failure {
    /// The number of the device.
    pub device: usize,
    /// A `hipError_t`, or 0.
    error: AtomicU32,
}

/// Whether any device ever had an error: all calls ask.
static ANY: AtomicBool = AtomicBool::new(false);

/// Whether there may be an error of some device.
#[inline]
pub fn any() -> bool {
    ANY.load(Ordering::Acquire)
}

impl Failure {
    /// No failure of this device yet.
    pub const fn of(device: usize) -> Failure {
        Failure { device, error: AtomicU32::new(0) }
    }

    /// The error that a kernel left, if one did.
    pub fn get(&self) -> Option<hipError_t> {
        match self.error.load(Ordering::Acquire) {
            0 => None,
            error => Some(hipError_t(error)),
        }
    }

    /// Leaves an error, unless there is one already.
    pub fn set(&self, error: hipError_t) {
        ANY.store(true, Ordering::Release);
        let _ = self.error.compare_exchange(0, error.0, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Forgets it.
    pub fn clear(&self) {
        self.error.store(0, Ordering::Release);
    }
}
