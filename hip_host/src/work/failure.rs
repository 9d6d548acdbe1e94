//! The error that a kernel left: no kernel begins, and every call returns it, until the device is reset.

use std::sync::atomic::{AtomicU32, Ordering};

use hip_runtime_sys::hipError_t;

/// A `hipError_t`.
static ERROR: AtomicU32 = AtomicU32::new(0);

/// The error that a kernel left, if one did.
pub fn get() -> Option<hipError_t> {
    match ERROR.load(Ordering::Acquire) {
        0 => None,
        error => Some(hipError_t(error)),
    }
}

/// Leaves an error, unless there is one already.
pub fn set(error: hipError_t) {
    let _ = ERROR.compare_exchange(0, error.0, Ordering::AcqRel, Ordering::Relaxed);
}

/// Forgets it.
pub fn clear() {
    ERROR.store(0, Ordering::Release);
}
