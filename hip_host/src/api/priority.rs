//! Other priorities for streams, which HIP has no function for.

use hip_runtime_sys::{SET_STREAM_PRIORITY, SetStreamPriority, hipError_t, hipStream_t};

use super::healthy;
use crate::core::stream;

/// See [`SetStreamPriority`].
///
/// # Safety
/// None: the stream may be anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zluda_set_stream_priority(
    stream: hipStream_t,
    priority: i32,
) -> hipError_t {
    healthy(move || {
        stream::find(stream)?.set_priority(priority);
        Ok(())
    })
}

const _: SetStreamPriority = zluda_set_stream_priority;

/// The function above.
pub(super) const NAMES: &[&str] = &[SET_STREAM_PRIORITY];
