//! Rust's standard library for Windows: rustup's if it has or gets it, or a built one.

use super::{TARGET, folder};
use crate::program::quiet;
use crate::standard_library::{build, rustc};
use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// For some tens of MB.
const LIMIT: Duration = Duration::from_secs(120);

/// The root that rustc is to take for its own; none where it has the library itself.
pub fn sysroot() -> Result<Option<PathBuf>> {
    let own = rustc(&["--print", "target-libdir", "--target", TARGET])?;
    let own = Path::new(own.trim());
    if has_std(own) {
        return Ok(None);
    }
    // To build it takes minutes. There may be no rustup, or no way to what it fetches.
    let added = quiet(Command::new("rustup").args(["target", "add", TARGET]), LIMIT);
    if added.is_ok() && has_std(own) {
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
