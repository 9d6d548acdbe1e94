//! When handlers of signals are there, which HIP has no function for.

use hip_runtime_sys::{HANDLE_FAULTS, HandleFaults};

use crate::guard::fault;

/// See [`HandleFaults`].
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zluda_handle_faults(may_run: bool) {
    if may_run { fault::begin() } else { fault::end() }
}

const _: HandleFaults = zluda_handle_faults;

/// The function above.
pub(super) const NAMES: &[&str] = &[HANDLE_FAULTS];
