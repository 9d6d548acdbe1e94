//! Rust's standard library for Windows: rustup's if it has it, or a built one.

use super::{TARGET, folder};
use crate::standard_library::{build, rustc};
use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The root that rustc is to take for its own; none where it has the library itself.
pub fn sysroot() -> Result<Option<PathBuf>> {
    let own = rustc(&["--print", "target-libdir", "--target", TARGET])?;
    if has_std(Path::new(own.trim())) {
        return Ok(None);
    }
    let root = folder().join("sysroot");
    build(&root, TARGET, "").map_err(|error| -> Error {
        format!(
            "Rust's standard library for Windows: {error}; `rustup target add {TARGET}` does, too"
        )
        .into()
    })?;
    Ok(Some(root))
}

fn has_std(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
}
