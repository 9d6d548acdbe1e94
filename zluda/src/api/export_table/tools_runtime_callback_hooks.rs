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

/// Zeros with as many bytes as the runtime is told, and more: CUDA 13.5's runtime asks for the size
/// and looks at bytes behind it, where anything but zero means a tool to call.
#[repr(align(16))]
struct Buffer {
    bytes: [AtomicU8; ROOM],
    size: usize,
}

const ROOM: usize = 16384;

static CALLBACKS: Buffer = Buffer::new(1024);
static FLAGS: Buffer = Buffer::new(14);

impl Buffer {
    const fn new(size: usize) -> Self {
        Self { bytes: [const { AtomicU8::new(0) }; ROOM], size }
    }

    /// # Safety
    /// The pointers are null or valid.
    unsafe fn give(&'static self, buffer: *mut *mut c_void, size: *mut usize) {
        // SAFETY: the caller says so.
        unsafe {
            if !buffer.is_null() {
                buffer.write(self.bytes.as_ptr().cast_mut().cast());
            }
            if !size.is_null() {
                size.write(self.size);
            }
        }
    }
}

unsafe extern "C" fn callbacks(buffer: *mut *mut c_void, size: *mut usize) {
    // SAFETY: the runtime passes room for both.
    unsafe { CALLBACKS.give(buffer, size) }
}

unsafe extern "C" fn flags(buffer: *mut *mut c_void, size: *mut usize) {
    // SAFETY: the runtime passes room for both.
    unsafe { FLAGS.give(buffer, size) }
}
