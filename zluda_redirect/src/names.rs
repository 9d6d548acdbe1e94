//! Which DLL a program means.

use std::ffi::{CStr, OsString, c_char, c_void};
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::OnceLock;

use windows_sys::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
    GetModuleFileNameW, GetModuleHandleExW,
};
use zluda_staged::{DRIVER_WINDOWS, REDIRECT, Staged, choose, windows_file, windows_library};

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

/// Our file in place of a DLL, as Windows takes it; none for DLLs that are not NVIDIA's, and for those of NVIDIA's that the
/// program is to have.
fn ours(name: &str) -> Option<Vec<u16>> {
    let preferred = || choice().0.then(|| library(name)).flatten();
    wide(windows_file(name).or_else(preferred)?)
}

/// The same for a library above the driver. A folder may have been left without it.
fn library(name: &str) -> Option<&'static Staged> {
    windows_library(name).filter(|staged| folder().is_some_and(|at| at.join(staged.name).exists()))
}

/// Our file in place of a library above the driver that could not be loaded.
fn instead(name: &str) -> Option<Vec<u16>> {
    wide(choice().1.then(|| library(name)).flatten()?)
}

fn wide(staged: &Staged) -> Option<Vec<u16>> {
    let path = folder()?.join(staged.name);
    Some(path.as_os_str().encode_wide().chain([0]).collect())
}

/// Whether programs get our libraries above the driver, and whether they do where NVIDIA's are not there.
fn choice() -> (bool, bool) {
    static CHOICE: OnceLock<(bool, bool)> = OnceLock::new();
    *CHOICE.get_or_init(|| {
        let [libraries, capability] = ["ZLUDA_LIBRARIES", "ZLUDA_CC"]
            .map(|name| std::env::var_os(name).map(|value| value.into_encoded_bytes()));
        choose(libraries.as_deref(), capability.as_deref())
    })
}

/// A name that a program has passed to a function.
#[derive(Debug)]
pub struct Name(String);

impl Name {
    /// A text of 16-bit words; none for null.
    ///
    /// # Safety
    /// It is null or ends with 0.
    pub unsafe fn wide(name: *const u16) -> Option<Name> {
        if name.is_null() {
            return None;
        }
        // SAFETY: the caller's promise.
        let words = unsafe {
            let length = (0..32768).find(|&at| *name.add(at) == 0)?;
            std::slice::from_raw_parts(name, length)
        };
        Some(Name(String::from_utf16_lossy(words)))
    }

    /// A text of bytes; none for null.
    ///
    /// # Safety
    /// It is null or ends with 0.
    pub unsafe fn narrow(name: *const u8) -> Option<Name> {
        if name.is_null() {
            return None;
        }
        // SAFETY: the caller's promise. The names that matter are ASCII in every code page.
        let text = unsafe { CStr::from_ptr(name.cast::<c_char>()) };
        Some(Name(text.to_string_lossy().into_owned()))
    }

    /// Our file in place of the DLL.
    pub fn ours(&self) -> Option<Vec<u16>> {
        ours(&self.0)
    }

    /// Our file where the DLL could not be loaded.
    pub fn instead(&self) -> Option<Vec<u16>> {
        instead(&self.0)
    }
}

/// What Windows calls a module.
pub type Module = *mut c_void;
