//! Buffers through which tools hook into NVIDIA's runtime. There are no tools: they stay zero.

use super::{SIZE, Table, UNKNOWN};
use std::ffi::c_void;
use std::sync::atomic::AtomicU8;

pub(super) const ID: u128 = 0xa094798c2e742e7493f20800200c0a66;

pub(super) static TABLE: Table<7> = Table::sized([
    SIZE,
    UNKNOWN,
    callbacks as *const (),
    UNKNOWN,
    UNKNOWN,
    UNKNOWN,
    flags as *const (),
]);

#[repr(align(16))]
struct Buffer<const N: usize>([AtomicU8; N]);

static CALLBACKS: Buffer<1024> = Buffer([const { AtomicU8::new(0) }; 1024]);
static FLAGS: Buffer<14> = Buffer([const { AtomicU8::new(0) }; 14]);

unsafe extern "C" fn callbacks(buffer: *mut *mut c_void, size: *mut usize) {
    // SAFETY: the runtime passes room for both.
    unsafe { give(&CALLBACKS.0, buffer, size) }
}

unsafe extern "C" fn flags(buffer: *mut *mut c_void, size: *mut usize) {
    // SAFETY: the runtime passes room for both.
    unsafe { give(&FLAGS.0, buffer, size) }
}

/// # Safety
/// The pointers are null or valid.
unsafe fn give(bytes: &'static [AtomicU8], buffer: *mut *mut c_void, size: *mut usize) {
    // SAFETY: the caller says so.
    unsafe {
        if !buffer.is_null() {
            buffer.write(bytes.as_ptr().cast_mut().cast());
        }
        if !size.is_null() {
            size.write(bytes.len());
        }
    }
}
