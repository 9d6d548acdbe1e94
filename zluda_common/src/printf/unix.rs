//! C's stream.

pub(super) use libc::snprintf;

unsafe extern "C" {
    static stdout: *mut libc::FILE;
}

/// Writes to the stream.
pub(super) fn write(text: &[u8]) {
    // SAFETY: C's own stream, which locks itself.
    unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
}

/// Writes what the stream has gathered.
pub(super) fn flush() {
    // SAFETY: as above.
    unsafe { libc::fflush(stdout) };
}
