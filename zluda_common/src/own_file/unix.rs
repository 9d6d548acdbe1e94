use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The file that holds this code, symbolic links resolved.
pub(super) fn path() -> Option<PathBuf> {
    // SAFETY: all-zero is a valid value of this structure of pointers.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address is that of this function; `info` outlives the call.
    let found = unsafe { libc::dladdr(path as *const () as *const _, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: dladdr gives the name of a loaded file.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    std::fs::canonicalize(OsStr::from_bytes(name.to_bytes())).ok()
}

/// Bytes that change when the file that holds this code does: its size and time.
pub(super) fn stamp() -> Vec<u8> {
    use std::os::unix::fs::MetadataExt;
    let metadata = path().and_then(|file| std::fs::metadata(file).ok());
    metadata
        .map(|file| format!("{} {} {}", file.size(), file.mtime(), file.mtime_nsec()).into_bytes())
        .unwrap_or_default()
}
