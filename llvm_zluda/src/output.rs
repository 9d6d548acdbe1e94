//! What lld writes.
//!
//! Where its output is a file, LLVM handles all signals of the process from then on, to remove the file when one comes. The
//! process is not ours: so lld writes to a pipe, of which LLVM thinks nothing.

use std::path::Path;
use std::{fs, io};

/// Lets `write` write to a path that does not exist yet; gives what it returns, and what it wrote.
#[cfg(target_os = "linux")]
pub(crate) fn of<R>(path: &Path, write: impl FnOnce() -> R) -> io::Result<(R, Vec<u8>)> {
    use std::io::Read;
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the path ends in a NUL.
    if unsafe { libc::mkfifo(name.as_ptr(), 0o600) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // As long as this is open, nobody waits for a writer.
    let keep = fs::OpenOptions::new().read(true).write(true).open(path)?;
    let mut reader = fs::File::open(path)?;
    std::thread::scope(|scope| {
        let read = std::thread::Builder::new().name("zluda-link".to_owned()).spawn_scoped(
            scope,
            move || {
                let mut bytes = Vec::new();
                reader.read_to_end(&mut bytes).map(|_| bytes)
            },
        )?;
        let result = write();
        drop(keep);
        let bytes = read.join().map_err(|_| io::Error::other("a thread failed"))??;
        Ok((result, bytes))
    })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn of<R>(path: &Path, write: impl FnOnce() -> R) -> io::Result<(R, Vec<u8>)> {
    let result = write();
    let bytes = if path.exists() { fs::read(path)? } else { Vec::new() };
    Ok((result, bytes))
}
