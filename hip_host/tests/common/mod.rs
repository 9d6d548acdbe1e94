//! A few short hands.

#![allow(dead_code, clippy::unwrap_used)]

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard};

pub use hip_host::api::*;
use hip_runtime_sys::*;

/// One test at a time: the device belongs to the process, and some tests break it.
pub fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[track_caller]
pub fn ok(error: hipError_t) {
    assert_eq!(error, hipError_t::hipSuccess);
}

/// Memory of the device.
pub struct Buffer<T>(pub *mut T, pub usize);

impl<T: Copy> Buffer<T> {
    pub fn new(values: &[T]) -> Buffer<T> {
        let mut pointer = null_mut();
        // SAFETY: valid pointers.
        unsafe {
            ok(hipMalloc(&mut pointer, size_of_val(values)));
            ok(hipMemcpyHtoD(pointer, values.as_ptr().cast(), size_of_val(values)));
        }
        Buffer(pointer.cast(), values.len())
    }

    pub fn read(&self) -> Vec<T> {
        let mut values = Vec::with_capacity(self.1);
        // SAFETY: there is room, and all of it is written.
        unsafe {
            ok(hipMemcpyDtoH(
                values.as_mut_ptr() as *mut c_void,
                self.0.cast(),
                self.1 * size_of::<T>(),
            ));
            values.set_len(self.1);
        }
        values
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        // SAFETY: a pointer of hipMalloc; where the device was reset meanwhile, an error that is no matter.
        unsafe { hipFree(self.0.cast()) };
    }
}

pub fn synchronize() -> hipError_t {
    // SAFETY: no arguments.
    unsafe { hipDeviceSynchronize() }
}
