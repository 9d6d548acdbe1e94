use std::ffi::c_void;
use std::path::PathBuf;

/// The file of the CPU's HIP provider.
pub(crate) const CPU_PROVIDER: &str = "zluda_hip_cpu.dll";
/// The library of emulated AMD GPUs, which lies there too.
pub(crate) const EMULATED_PROVIDER: &str = "zluda_hip_emu.dll";

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetCurrentThreadId() -> u32;
    fn GetModuleHandleExW(flags: u32, address: *const c_void, module: *mut *mut c_void) -> i32;
    fn GetModuleFileNameW(module: *mut c_void, name: *mut u16, size: u32) -> u32;
}

/// The folder of the file that holds this code.
pub(crate) fn own_folder() -> Option<PathBuf> {
    own_file()?.parent().map(PathBuf::from)
}

/// The file that holds this code, symbolic links resolved.
fn own_file() -> Option<PathBuf> {
    const FROM_ADDRESS: u32 = 4;
    const UNCHANGED_COUNT: u32 = 2;
    let mut module = std::ptr::null_mut();
    let mut name = [0u16; 32768];
    // SAFETY: the address is that of this function; `module` and `name` outlive the calls.
    let length = unsafe {
        if GetModuleHandleExW(
            FROM_ADDRESS | UNCHANGED_COUNT,
            own_file as *const () as *const _,
            &mut module,
        ) == 0
        {
            return None;
        }
        GetModuleFileNameW(module, name.as_mut_ptr(), name.len() as u32)
    };
    String::from_utf16(&name[..length as usize]).ok().map(PathBuf::from)
}

/// Whether the calling thread is known to be the one that the process began with.
pub(crate) fn is_main_thread() -> bool {
    false
}

/// A number of the calling thread, as NVIDIA's runtime computes it.
pub(crate) fn thread_number() -> u32 {
    // SAFETY: always succeeds.
    unsafe { GetCurrentThreadId() }
}

/// Bytes that change when the file that holds this code does: its size and time.
pub(crate) fn own_file_stamp() -> Vec<u8> {
    use std::os::windows::fs::MetadataExt;
    let metadata = own_file().and_then(|file| std::fs::metadata(file).ok());
    metadata
        .map(|file| format!("{} {}", file.file_size(), file.last_write_time()).into_bytes())
        .unwrap_or_default()
}

/// Whether there is memory of any kind in the whole range. It is taken for granted here.
pub(crate) fn is_mapped(_address: u64, _size: usize) -> bool {
    true
}
