//! The library that this code was linked into: other libraries of ours lie in its folder.

use std::path::PathBuf;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as os;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as os;

/// The library's file, symbolic links resolved.
pub fn path() -> Option<PathBuf> {
    os::path()
}

/// The folder of the library's file.
pub fn folder() -> Option<PathBuf> {
    path()?.parent().map(PathBuf::from)
}

/// Bytes that change when the library's file does: its size and time.
pub fn stamp() -> Vec<u8> {
    os::stamp()
}
