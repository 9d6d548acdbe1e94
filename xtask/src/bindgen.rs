//! The generators of kept files.

pub mod cuda;
pub mod hip;
pub mod hip_facts;

use crate::repository::llvm;

/// Says where libclang is, unless that is known. To be called while no other thread runs.
pub fn find_libclang() {
    if std::env::var_os("LIBCLANG_PATH").is_none() {
        // SAFETY: the caller says that no other thread runs.
        unsafe { std::env::set_var("LIBCLANG_PATH", llvm().join("lib")) };
    }
}
