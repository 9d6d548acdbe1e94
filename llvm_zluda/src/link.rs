//! lld in this process.

use crate::output;
use crate::target::initialize_targets;
use std::ffi::{CStr, CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{env, fs, io, ptr};
use tempfile::TempDir;

#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error("the linker's files cannot be written: {0}")]
    Files(#[from] io::Error),
    #[error("linking failed: {0}")]
    Link(String),
    #[error("the linker crashed earlier in this process and cannot run again")]
    Unusable,
}

unsafe extern "C" {
    fn zluda_lld_elf(
        arguments: *const *const c_char,
        count: usize,
        messages: *mut *mut c_char,
        can_run_again: *mut c_int,
    ) -> c_int;
    fn free(pointer: *mut std::ffi::c_void);
}

/// Whether lld may run: it is one per process, and after a crash none.
static USABLE: Mutex<bool> = Mutex::new(true);

/// Links relocatable objects to a shared object (`ld.lld -shared OPTIONS`), one call at a time.
pub fn link_elf(objects: &[Vec<u8>], options: &[&str]) -> Result<Vec<u8>, LinkError> {
    // lld resets LLVM's options; those of code generation have to be out of its reach.
    initialize_targets();
    let (folder, inputs) = write_inputs(objects)?;
    let output = folder.path().join("out.so");

    let path = |path: &Path| path.to_string_lossy().into_owned();
    let mut words = vec!["ld.lld".to_owned(), "-shared".to_owned(), "--threads=1".to_owned()];
    words.extend(options.iter().map(|&option| option.to_owned()));
    words.extend(inputs.iter().map(|input| path(input)));
    words.extend(["-o".to_owned(), path(&output)]);
    let words: Vec<CString> = words.iter().map(|word| crate::c_string(word)).collect();
    let (linked, written) = output::of(&output, || link(&words))?;
    linked?;
    Ok(written)
}

/// Runs lld.
fn link(words: &[CString]) -> Result<(), LinkError> {
    let arguments: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
    let mut usable = USABLE.lock().unwrap_or_else(PoisonError::into_inner);
    if !*usable {
        return Err(LinkError::Unusable);
    }
    let mut messages = ptr::null_mut();
    let mut can_run_again = 1;
    // SAFETY: the arguments are NUL-terminated and live through the call; the lock keeps calls apart.
    let failed = unsafe {
        zluda_lld_elf(arguments.as_ptr(), arguments.len(), &mut messages, &mut can_run_again)
    };
    *usable = can_run_again != 0;
    drop(usable);

    let text = if messages.is_null() {
        String::new()
    } else {
        // SAFETY: the shim hands over a NUL-terminated text from malloc.
        unsafe {
            let text = CStr::from_ptr(messages).to_string_lossy().into_owned();
            free(messages.cast());
            text
        }
    };
    if failed == 0 { Ok(()) } else { Err(LinkError::Link(text)) }
}

/// A folder with the objects in files. Where there is room it lies in memory: a disk takes longer to make and remove the
/// folder and the files than lld takes to link them.
fn write_inputs(objects: &[Vec<u8>]) -> io::Result<(TempDir, Vec<PathBuf>)> {
    let write_in = |parent: &Path| {
        let folder = tempfile::Builder::new().prefix("zluda").tempdir_in(parent)?;
        let mut inputs = Vec::new();
        for (index, object) in objects.iter().enumerate() {
            let input = folder.path().join(format!("in{index}.o"));
            fs::write(&input, object)?;
            inputs.push(input);
        }
        Ok((folder, inputs))
    };
    let bytes = objects.iter().map(|object| object.len() as u64).sum();
    if let Some(Ok(written)) = memory_folder(bytes).map(write_in) {
        return Ok(written);
    }
    write_in(&env::temp_dir())
}

/// Linux's folder in memory, if it has room for many times so much, since a process that maps a file which then finds no
/// room dies of it; None where the user has said where temporary files go.
fn memory_folder(bytes: u64) -> Option<&'static Path> {
    const SHARED_MEMORY: &CStr = c"/dev/shm";
    if env::var_os("TMPDIR").is_some() || free_bytes(SHARED_MEMORY)? < (16 << 20) + 16 * bytes {
        return None;
    }
    SHARED_MEMORY.to_str().ok().map(Path::new)
}

/// The room that is left where a folder lies.
#[cfg(target_os = "linux")]
fn free_bytes(folder: &CStr) -> Option<u64> {
    let mut info = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the path ends in a NUL, and the structure is read only where it has been filled.
    unsafe {
        if libc::statvfs(folder.as_ptr(), info.as_mut_ptr()) != 0 {
            return None;
        }
        let info = info.assume_init();
        info.f_bavail.checked_mul(info.f_frsize)
    }
}

#[cfg(not(target_os = "linux"))]
fn free_bytes(_folder: &CStr) -> Option<u64> {
    None
}
