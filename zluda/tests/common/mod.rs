//! The built library, as programs see it.

#![allow(dead_code)]

use std::path::PathBuf;

/// The file that cargo built for these tests.
pub fn library_path() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own file");
    test.with_file_name("libzluda_cuda.so")
}
