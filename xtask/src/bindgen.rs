//! The generators of kept files.

pub mod cuda;
pub mod hip;
pub mod hip_facts;

use std::path::Path;

/// Says where libclang is, unless that is known. To be called while no other thread runs.
pub fn find_libclang() {
    if std::env::var_os("LIBCLANG_PATH").is_none() {
        let llvm =
            std::env::var_os("LLVM_SYS_221_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-22".into());
        // SAFETY: the caller says that no other thread runs.
        unsafe { std::env::set_var("LIBCLANG_PATH", Path::new(&llvm).join("lib")) };
    }
}
