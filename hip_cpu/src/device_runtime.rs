//! The driver's functions that the engine calls for launches by kernels.

use hip_runtime_sys::device_runtime::{DeviceRuntime, Setter};

use crate::engine::children;

/// See [`hip_runtime_sys::device_runtime::SETTER`].
///
/// # Safety
/// The pointer is null or valid, and the functions stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zluda_set_device_runtime(runtime: *const DeviceRuntime) {
    // SAFETY: the caller's promise.
    if let Some(runtime) = unsafe { runtime.as_ref() } {
        children::set_runtime(*runtime);
    }
}

const _: Setter = zluda_set_device_runtime;
