//! Other priorities for streams, which HIP gives them once, when it makes them.

use crate::{HipRuntime, hipError_t, hipStream_t};

/// The type of the function that changes a stream's priority for its later work; lower numbers are greater ones, and one out
/// of range becomes the nearest.
pub type SetStreamPriority = unsafe extern "C" fn(stream: hipStream_t, priority: i32) -> hipError_t;

/// The name of the function of type [`SetStreamPriority`] that providers export.
pub const SET_STREAM_PRIORITY: &str = "zluda_set_stream_priority";

impl HipRuntime {
    /// Changes a stream's priority, where the provider can: elsewhere it keeps its own.
    ///
    /// # Safety
    /// The stream is one of the provider's.
    pub unsafe fn set_stream_priority(&self, stream: hipStream_t, priority: i32) -> hipError_t {
        // SAFETY: this project's providers export the name with this type, and nobody else does.
        match unsafe { self.own_function::<SetStreamPriority>(SET_STREAM_PRIORITY) } {
            // SAFETY: the caller's promise.
            Some(set) => unsafe { set(stream, priority) },
            None => hipError_t::hipSuccess,
        }
    }
}
