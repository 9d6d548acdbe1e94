//! Streams of a part of the device, which this project's own providers have: HIP has masks of compute units for streams that
//! wait for the default one only, and that have no priority.

use crate::{HipRuntime, hipError_t, hipStream_t};

/// The type of the function that limits a stream: each of its later launches and tasks runs on at most `processors`
/// multiprocessors at a time. `hipErrorInvalidValue` for none.
pub type LimitStream = unsafe extern "C" fn(stream: hipStream_t, processors: u32) -> hipError_t;

/// The name of the function of type [`LimitStream`] that providers export.
pub const LIMIT_STREAM: &str = "zluda_limit_stream";

impl HipRuntime {
    /// Limits a stream, where the provider can: elsewhere it runs on the whole device.
    ///
    /// # Safety
    /// The stream is one of the provider's.
    pub unsafe fn limit_stream(&self, stream: hipStream_t, processors: u32) -> hipError_t {
        // SAFETY: this project's providers export the name with this type, and nobody else does.
        match unsafe { self.own_function::<LimitStream>(LIMIT_STREAM) } {
            // SAFETY: the caller's promise.
            Some(limit) => unsafe { limit(stream, processors) },
            None => hipError_t::hipSuccess,
        }
    }
}
