//! Which DLL a program means.

use std::ffi::{CStr, OsString, c_char, c_void};
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::OnceLock;

use windows_sys::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
    GetModuleFileNameW, GetModuleHandleExW,
};
use zluda_staged::{DRIVER_WINDOWS, REDIRECT, windows_file};

/// The folder of this DLL.
fn folder() -> Option<&'static PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOLDER.get_or_init(find_folder).as_ref()
}

fn find_folder() -> Option<PathBuf> {
    let flags =
        GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    let mut module = std::ptr::null_mut();
    let mut name = vec![0; 32768];
    // SAFETY: the address is that of this function; both live as long as the calls.
    let length = unsafe {
        if GetModuleHandleExW(flags, find_folder as *const () as *const u16, &mut module) == 0 {
            return None;
        }
        GetModuleFileNameW(module, name.as_mut_ptr(), name.len() as u32)
    };
    let path = PathBuf::from(OsString::from_wide(name.get(..length as usize)?));
    path.parent().map(PathBuf::from)
}

/// The DLLs for child processes.
pub fn dlls() -> Option<[PathBuf; 2]> {
    folder().map(|folder| [DRIVER_WINDOWS, REDIRECT].map(|name| folder.join(name)))
}

/// Our file in place of a DLL, as Windows takes it; none for DLLs that are not NVIDIA's.
fn ours(name: &str) -> Option<Vec<u16>> {
    let path = folder()?.join(windows_file(name)?.name);
    Some(path.as_os_str().encode_wide().chain([0]).collect())
}

/// The same for a text of 16-bit words.
///
/// # Safety
/// It is null or ends with 0.
pub unsafe fn ours_wide(name: *const u16) -> Option<Vec<u16>> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let words = unsafe {
        let length = (0..32768).find(|&at| *name.add(at) == 0)?;
        std::slice::from_raw_parts(name, length)
    };
    ours(&String::from_utf16_lossy(words))
}

/// The same for a text of bytes.
///
/// # Safety
/// It is null or ends with 0.
pub unsafe fn ours_narrow(name: *const u8) -> Option<Vec<u16>> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller's promise. The names that matter are ASCII in every code page.
    let text = unsafe { CStr::from_ptr(name.cast::<c_char>()) };
    ours(&text.to_string_lossy())
}

/// What Windows calls a module.
pub type Module = *mut c_void;
