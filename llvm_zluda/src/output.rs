//! What lld writes.
//!
//! It runs in a thread of its own: it keeps its allocators in objects of the thread, which `exit` destroys before it calls the
//! handlers of the program, and such a handler may launch a kernel that has to be linked.
//!
//! Where its output is a file, LLVM handles all signals of the process from then on, to remove the file when one comes. The
//! process is not ours: so lld writes to a pipe, of which LLVM thinks nothing.

use std::path::Path;
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::{fs, io};

/// Lets `write`, in a thread of its own, write to a path that does not exist yet; gives what it returns, and what it wrote.
#[cfg(target_os = "linux")]
pub(crate) fn of<R: Send>(
    path: &Path,
    write: impl FnOnce() -> R + Send,
) -> io::Result<(R, Vec<u8>)> {
    use std::io::Read;
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the path ends in a NUL.
    if unsafe { libc::mkfifo(name.as_ptr(), 0o600) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // As long as this is open, nobody waits for a writer, and what is read does not end.
    let keep = fs::OpenOptions::new().read(true).write(true).open(path)?;
    let mut reader = fs::File::open(path)?;
    std::thread::scope(|scope| {
        let writing = spawn(scope, move || {
            let result = write();
            drop(keep);
            result
        })?;
        let mut bytes = Vec::new();
        let read = reader.read_to_end(&mut bytes);
        let result = result_of(writing)?;
        read?;
        Ok((result, bytes))
    })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn of<R: Send>(
    path: &Path,
    write: impl FnOnce() -> R + Send,
) -> io::Result<(R, Vec<u8>)> {
    let write = || {
        let result = write();
        #[cfg(windows)]
        // SAFETY: the thread ends here, and lld has.
        unsafe {
            zluda_destroy_objects_of_thread();
        }
        result
    };
    let result = std::thread::scope(|scope| result_of(spawn(scope, write)?))?;
    let bytes = if path.exists() { fs::read(path)? } else { Vec::new() };
    Ok((result, bytes))
}

#[cfg(windows)]
unsafe extern "C" {
    /// Of `cpp/thread_objects.c`, which says why they have to be destroyed before the thread ends.
    fn zluda_destroy_objects_of_thread();
}

/// The stack of a process's first thread, which lld is made for.
const STACK: usize = 8 << 20;

fn spawn<'scope, R: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    function: impl FnOnce() -> R + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, R>> {
    Builder::new().name("zluda-link".to_owned()).stack_size(STACK).spawn_scoped(scope, function)
}

fn result_of<R>(thread: ScopedJoinHandle<'_, R>) -> io::Result<R> {
    thread.join().map_err(|_| io::Error::other("a thread failed"))
}
