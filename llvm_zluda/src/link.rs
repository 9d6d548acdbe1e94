//! lld in this process.

use crate::target::initialize_targets;
use std::ffi::{CStr, CString, c_char, c_int};
use std::fs;
use std::ptr;
use std::sync::{Mutex, PoisonError};

#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error("the linker's files cannot be written: {0}")]
    Files(#[from] std::io::Error),
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
    let folder = tempfile::Builder::new().prefix("zluda").tempdir()?;
    let output = folder.path().join("out.so");
    let mut inputs = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        let input = folder.path().join(format!("in{index}.o"));
        fs::write(&input, object)?;
        inputs.push(input);
    }

    let path = |path: &std::path::Path| path.to_string_lossy().into_owned();
    let mut words = vec!["ld.lld".to_owned(), "-shared".to_owned(), "--threads=1".to_owned()];
    words.extend(options.iter().map(|&option| option.to_owned()));
    words.extend(inputs.iter().map(|input| path(input)));
    words.extend(["-o".to_owned(), path(&output)]);
    let words: Vec<CString> = words.iter().map(|word| crate::c_string(word)).collect();
    let pointers: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();

    let mut usable = USABLE.lock().unwrap_or_else(PoisonError::into_inner);
    if !*usable {
        return Err(LinkError::Unusable);
    }
    let mut messages = ptr::null_mut();
    let mut can_run_again = 1;
    // SAFETY: the arguments are NUL-terminated and live through the call; the lock keeps calls apart.
    let failed = unsafe {
        zluda_lld_elf(pointers.as_ptr(), pointers.len(), &mut messages, &mut can_run_again)
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
    if failed != 0 {
        return Err(LinkError::Link(text));
    }
    Ok(fs::read(&output)?)
}
