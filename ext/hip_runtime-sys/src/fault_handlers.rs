//! Handlers of the signals that faults of kernels raise, which this project's own providers have: a process whose work with
//! the device is over gets back what it had.

use crate::HipRuntime;

/// The type of the function that says whether kernels may run from now on. Where they may not, no handler of signals is
/// the provider's, until they may again or one runs all the same.
pub type HandleFaults = unsafe extern "C" fn(may_run: bool);

/// The name of the function of type [`HandleFaults`] that providers export.
pub const HANDLE_FAULTS: &str = "zluda_handle_faults";

impl HipRuntime {
    /// Says whether kernels may run from now on, to a provider that wants to know.
    pub fn handle_faults(&self, may_run: bool) {
        // SAFETY: this project's providers export the name with this type, and nobody else does.
        if let Some(handle) = unsafe { self.own_function::<HandleFaults>(HANDLE_FAULTS) } {
            // SAFETY: has no preconditions.
            unsafe { handle(may_run) };
        }
    }
}
