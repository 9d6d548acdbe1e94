//! The built library, as programs see it.

#![allow(dead_code)]

use std::path::{Path, PathBuf};

/// The file that cargo built for these tests, beside which there is no driver.
pub fn library_path() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own file");
    test.with_file_name("libzluda_ml.so")
}

/// The staged library, beside which the driver lies.
pub fn staged() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own file");
    let profile = test.parent().and_then(Path::parent).expect("target/<profile>/deps");
    let path = profile.join("zluda/libnvidia-ml.so.1");
    assert!(path.exists(), "{} is not there: run `cargo xtask build` first", path.display());
    path
}
