//! The file behind C's stream: the program may have a C library of its own, whose stream is another.

use std::ffi::{c_char, c_int};

unsafe extern "C" {
    /// mingw's, which knows all of C99.
    #[link_name = "__mingw_snprintf"]
    pub(super) fn snprintf(to: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
}

const STDOUT: c_int = 1;

/// Writes to the file.
pub(super) fn write(mut text: &[u8]) {
    while !text.is_empty() {
        let size = text.len().min(1 << 20);
        // SAFETY: the bytes live as long as the call.
        let written = unsafe { libc::write(STDOUT, text.as_ptr().cast(), size as u32) };
        let Some(rest) = usize::try_from(written).ok().filter(|count| *count != 0) else { return };
        text = text.get(rest..).unwrap_or_default();
    }
}

/// Nothing is gathered.
pub(super) fn flush() {}
