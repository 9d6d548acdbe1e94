//! Which DLL a program means.

use std::ffi::{CStr, OsString, c_char, c_void};
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::OnceLock;

use windows_sys::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
    GetModuleFileNameW, GetModuleHandleExW,
};
use zluda_inject::names::{Names, Ours};
use zluda_staged::{DRIVER_WINDOWS, REDIRECT};

/// What programs get of the folder of this DLL.
fn names() -> Option<&'static Names> {
    static NAMES: OnceLock<Option<Names>> = OnceLock::new();
    NAMES.get_or_init(|| find_folder().map(|folder| Names::new(&folder))).as_ref()
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

/// The DLLs for child processes, and what those get in place of others.
pub fn for_children() -> Option<([PathBuf; 2], &'static Names)> {
    let names = names()?;
    Some(([DRIVER_WINDOWS, REDIRECT].map(|name| names.folder.join(name)), names))
}

/// A file of ours with the library that does its work, as Windows takes paths.
#[derive(Debug)]
pub struct Paths {
    pub library: Option<Vec<u16>>,
    pub file: Vec<u16>,
}

impl Paths {
    fn new(ours: Ours) -> Paths {
        let wide = |path: PathBuf| path.as_os_str().encode_wide().chain([0]).collect();
        Paths { library: ours.library.map(wide), file: wide(ours.file) }
    }
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

    /// Ours in place of the DLL.
    pub fn ours(&self) -> Option<Paths> {
        Some(Paths::new(names()?.ours(&self.0)?))
    }

    /// Ours where the DLL could not be loaded.
    pub fn instead(&self) -> Option<Paths> {
        Some(Paths::new(names()?.instead(&self.0)?))
    }
}

/// What Windows calls a module.
pub type Module = *mut c_void;
