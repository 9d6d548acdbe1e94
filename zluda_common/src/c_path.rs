//! Paths as C programs give them.

use std::ffi::CStr;
use std::path::PathBuf;

/// The path that a C program means by a text.
#[cfg(unix)]
pub fn path_of_c(text: &CStr) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(text.to_bytes()).into()
}

/// The path that a C program means by a text, which is UTF-8.
#[cfg(not(unix))]
pub fn path_of_c(text: &CStr) -> PathBuf {
    text.to_string_lossy().into_owned().into()
}
