use std::ffi::c_void;
use std::path::PathBuf;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetModuleHandleExW(flags: u32, address: *const c_void, module: *mut *mut c_void) -> i32;
    fn GetModuleFileNameW(module: *mut c_void, name: *mut u16, size: u32) -> u32;
}

/// The file that holds this code, symbolic links resolved.
pub(super) fn path() -> Option<PathBuf> {
    const FROM_ADDRESS: u32 = 4;
    const UNCHANGED_COUNT: u32 = 2;
    let mut module = std::ptr::null_mut();
    let mut name = [0u16; 32768];
    // SAFETY: the address is that of this function; `module` and `name` outlive the calls.
    let length = unsafe {
        if GetModuleHandleExW(
            FROM_ADDRESS | UNCHANGED_COUNT,
            path as *const () as *const _,
            &mut module,
        ) == 0
        {
            return None;
        }
        GetModuleFileNameW(module, name.as_mut_ptr(), name.len() as u32)
    };
    String::from_utf16(&name[..length as usize]).ok().map(PathBuf::from)
}

/// Bytes that change when the file that holds this code does: its size and time.
pub(super) fn stamp() -> Vec<u8> {
    use std::os::windows::fs::MetadataExt;
    let metadata = path().and_then(|file| std::fs::metadata(file).ok());
    metadata
        .map(|file| format!("{} {}", file.file_size(), file.last_write_time()).into_bytes())
        .unwrap_or_default()
}
