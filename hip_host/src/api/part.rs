//! Streams of a part of the device, which HIP has no function for.

use hip_runtime_sys::{LIMIT_STREAM, LimitStream, hipError_t, hipStream_t};

use super::{INVALID, healthy};
use crate::core::stream;

/// See [`LimitStream`].
///
/// # Safety
/// None: the stream may be anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zluda_limit_stream(stream: hipStream_t, processors: u32) -> hipError_t {
    healthy(move || {
        let stream = stream::find(stream)?;
        if processors == 0 {
            return Err(INVALID);
        }
        stream.limit(processors);
        Ok(())
    })
}

const _: LimitStream = zluda_limit_stream;

/// The function above.
pub(super) const NAMES: &[&str] = &[LIMIT_STREAM];
