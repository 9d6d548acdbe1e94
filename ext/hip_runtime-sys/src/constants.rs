//! Constants that HIP's headers define by macros with casts, which bindgen cannot translate.

#![allow(non_upper_case_globals)]

use core::ffi::c_void;
use core::ptr::without_provenance_mut;

use crate::{hipError_t, hipStream_t};

/// The legacy default stream, which the null handle names too.
pub const hipStreamLegacy: hipStream_t = without_provenance_mut(1);
/// The default stream of the calling thread.
pub const hipStreamPerThread: hipStream_t = without_provenance_mut(2);

/// In a launch's `extra`: the next word is the address of the parameter buffer.
pub const HIP_LAUNCH_PARAM_BUFFER_POINTER: *mut c_void = without_provenance_mut(1);
/// In a launch's `extra`: the next word is the address of the parameter buffer's size, a `size_t`.
pub const HIP_LAUNCH_PARAM_BUFFER_SIZE: *mut c_void = without_provenance_mut(2);
/// Ends a launch's `extra`.
pub const HIP_LAUNCH_PARAM_END: *mut c_void = without_provenance_mut(3);

impl hipError_t {
    /// `Ok` for `hipSuccess`.
    pub fn result(self) -> Result<(), hipError_t> {
        if self == hipError_t::hipSuccess { Ok(()) } else { Err(self) }
    }
}

/// The launch attribute that holds the size of a cluster in blocks, as three words, the number of CUDA's. HIP
/// of ROCm 7 has none; the CPU device takes it.
pub const CLUSTER_DIMENSION: crate::hipLaunchAttributeID = crate::hipLaunchAttributeID(4);
