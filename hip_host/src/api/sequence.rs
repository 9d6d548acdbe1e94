//! Kernels that a stream gets all at once, which HIP has no function for.

use std::ffi::c_void;
use std::sync::Arc;

use hip_runtime_sys::{
    CREATE_SEQUENCE, CreateSequence, DESTROY_SEQUENCE, DestroySequence, LAUNCH_SEQUENCE,
    LaunchSequence, SequenceKernel, hipError_t, hipStream_t,
};
use smallvec::smallvec;

use super::launch::find;
use super::{INVALID, Result, healthy, put};
use crate::core::context::current;
use crate::core::launch::{LaunchConfig, Ready};
use crate::core::request::Params;
use crate::core::sequence::Sequence;
use crate::core::stream;

/// # Safety
/// The parameters are readable.
unsafe fn member(given: &SequenceKernel) -> Result<Ready> {
    let kernel = find(given.function)?;
    let config = LaunchConfig {
        cluster: (given.cluster != [0; 3]).then_some(given.cluster),
        ..LaunchConfig::new(given.grid, given.block, given.shared)
    };
    config.check(&kernel)?;
    let size = kernel.facts.param_size as usize;
    if given.size < size || (given.params.is_null() && size != 0) {
        return Err(INVALID);
    }
    let mut params: Params = smallvec![0; size.div_ceil(16)];
    // SAFETY: the caller's promise; there is room for all.
    unsafe {
        std::ptr::copy_nonoverlapping(given.params.cast::<u8>(), params.as_mut_ptr().cast(), size);
    }
    Ready::new(current(), kernel, config, params)
}

/// See [`CreateSequence`].
///
/// # Safety
/// The pointers are null or valid, the parameters readable; functions may be anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zluda_create_sequence(
    sequence: *mut *mut c_void,
    kernels: *const SequenceKernel,
    count: usize,
) -> hipError_t {
    healthy(|| {
        if kernels.is_null() {
            return Err(INVALID);
        }
        // SAFETY: the caller's promise.
        let kernels = unsafe { std::slice::from_raw_parts(kernels, count) };
        // SAFETY: as above.
        let members = kernels.iter().map(|kernel| unsafe { member(kernel) });
        let made = Arc::new(Sequence::new(members.collect::<Result<_>>()?)?);
        // SAFETY: as above.
        unsafe { put(sequence, Arc::into_raw(made).cast_mut().cast()) }
    })
}

/// See [`LaunchSequence`].
///
/// # Safety
/// The sequence is one that has not been destroyed; the stream may be anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zluda_launch_sequence(
    sequence: *mut c_void,
    stream: hipStream_t,
) -> hipError_t {
    healthy(|| {
        let stream = stream::find(stream)?;
        let sequence = sequence.cast_const().cast::<Sequence>();
        // SAFETY: the caller's promise: the handle is still counted, and this is one more.
        let sequence = unsafe {
            Arc::increment_strong_count(sequence);
            Arc::from_raw(sequence)
        };
        stream.enqueue(false, None, sequence.work(&stream));
        Ok(())
    })
}

/// See [`DestroySequence`].
///
/// # Safety
/// The sequence is one that has not been destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zluda_destroy_sequence(sequence: *mut c_void) {
    // SAFETY: the caller's promise; launches have counts of their own.
    drop(unsafe { Arc::from_raw(sequence.cast_const().cast::<Sequence>()) });
}

const _: CreateSequence = zluda_create_sequence;
const _: LaunchSequence = zluda_launch_sequence;
const _: DestroySequence = zluda_destroy_sequence;

/// The functions above.
pub(super) const NAMES: &[&str] = &[CREATE_SEQUENCE, LAUNCH_SEQUENCE, DESTROY_SEQUENCE];
