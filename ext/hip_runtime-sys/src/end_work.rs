//! The end of a context's work, which this project's own providers can wait for without waiting for ever.

use crate::{HipRuntime, hipError_t};

/// The type of the function that waits for all work of the calling thread's context, which is going to end. Where streams
/// wait for a word that nobody writes, that is given up in the end, with the work behind it.
pub type EndWork = unsafe extern "C" fn() -> hipError_t;

/// The name of the function of type [`EndWork`] that providers export.
pub const END_WORK: &str = "zluda_end_work";

impl HipRuntime {
    /// Waits for all work of the calling thread's context, which is going to end.
    pub fn end_work(&self) -> hipError_t {
        // SAFETY: this project's providers export the name with this type, and nobody else does.
        match unsafe { self.own_function::<EndWork>(END_WORK) } {
            // SAFETY: has no preconditions.
            Some(end) => unsafe { end() },
            // SAFETY: as above.
            None => unsafe { self.hipDeviceSynchronize() },
        }
    }
}
