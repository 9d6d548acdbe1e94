use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The file of the CPU's HIP provider.
pub(crate) const CPU_PROVIDER: &str = "libzluda_hip_cpu.so";
/// The library of emulated AMD GPUs, which lies there too.
pub(crate) const EMULATED_PROVIDER: &str = "libzluda_hip_emu.so";

/// The folder of the file that holds this code.
pub(crate) fn own_folder() -> Option<PathBuf> {
    own_file()?.parent().map(PathBuf::from)
}

/// The file that holds this code, symbolic links resolved.
fn own_file() -> Option<PathBuf> {
    // SAFETY: all-zero is a valid value of this structure of pointers.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address is that of this function; `info` outlives the call.
    let found = unsafe { libc::dladdr(own_file as *const () as *const _, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: dladdr gives the name of a loaded file.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    std::fs::canonicalize(OsStr::from_bytes(name.to_bytes())).ok()
}

/// Whether the calling thread is the one that the process began with.
pub(crate) fn is_main_thread() -> bool {
    // SAFETY: both always succeed.
    unsafe { libc::gettid() == libc::getpid() }
}

/// A number of the calling thread, as NVIDIA's runtime computes it.
pub(crate) fn thread_number() -> u32 {
    // SAFETY: always succeeds.
    unsafe { libc::pthread_self() as u32 }
}

/// Bytes that change when the file that holds this code does: its size and time.
pub(crate) fn own_file_stamp() -> Vec<u8> {
    use std::os::unix::fs::MetadataExt;
    let metadata = own_file().and_then(|file| std::fs::metadata(file).ok());
    metadata
        .map(|file| format!("{} {} {}", file.size(), file.mtime(), file.mtime_nsec()).into_bytes())
        .unwrap_or_default()
}

/// Whether there is memory of any kind in the whole range.
pub(crate) fn is_mapped(address: u64, size: usize) -> bool {
    // SAFETY: has no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as u64;
    let start = address / page * page;
    let Some(length) = (address - start).checked_add(size as u64) else { return false };
    // SAFETY: an asynchronous flush does nothing but look whether there are mappings; it changes no memory,
    // and fails for addresses that have none.
    unsafe { libc::msync(start as *mut _, length as usize, libc::MS_ASYNC) == 0 }
}
