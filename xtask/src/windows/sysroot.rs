//! Rust's standard library for Windows: rustup's if it has it, or built of the sources that Debian has of every release.

use super::{TARGET, folder};
use crate::program::{loud, quiet};
use crate::progress::heading;
use crate::repository::{make, make_empty};
use crate::toolkit::rust_sources;
use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The root that rustc is to take for its own; none where it has the library itself.
pub fn sysroot() -> Result<Option<PathBuf>> {
    let own = rustc(&["--print", "target-libdir", "--target", TARGET])?;
    if has_std(Path::new(own.trim())) {
        return Ok(None);
    }
    let version = rustc(&["--version"])?;
    let root = folder().join("sysroot");
    let (libraries, stamp) =
        (root.join("lib/rustlib").join(TARGET).join("lib"), root.join("version"));
    if fs::read_to_string(&stamp).is_ok_and(|found| found == version) {
        return Ok(Some(root));
    }
    make_empty(&root)?;
    build(&version, &libraries).map_err(|error| -> Error {
        format!(
            "Rust's standard library for Windows: {error}; `rustup target add {TARGET}` does, too"
        )
        .into()
    })?;
    fs::write(stamp, version)?;
    Ok(Some(root))
}

fn rustc(arguments: &[&str]) -> Result<String> {
    Ok(quiet(Command::new("rustc").args(arguments), Duration::from_secs(60))?.stdout)
}

fn has_std(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
}

fn build(version: &str, libraries: &Path) -> Result<()> {
    // "rustc 1.95.0 (59807616e 2026-04-14)"
    let number = version.split(' ').nth(1).ok_or("rustc does not say its version")?;
    let sources = rust_sources(number)?.folder().join("usr/src").join(format!("rustc-{number}"));
    heading("Building Rust's standard library for Windows, in a minute or two");
    let build = folder().join("std");
    let mut command = crate::program::cargo();
    command
        .args(["build", "--release", "--features", "panic-unwind,backtrace", "--target", TARGET])
        .arg("--manifest-path")
        .arg(sources.join("library/sysroot/Cargo.toml"))
        .arg("--target-dir")
        .arg(&build)
        // What Rust's own build says to a compiler that is no nightly one.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Zforce-unstable-if-unmarked -Cembed-bitcode=yes")
        .env("__CARGO_DEFAULT_LIB_METADATA", "stablestd");
    loud(&mut command)?;
    make(libraries)?;
    let built = build.join(TARGET).join("release/deps");
    for file in crate::repository::files(&built, "rlib")? {
        fs::copy(&file, libraries.join(file.file_name().unwrap_or_default()))?;
    }
    Ok(fs::remove_dir_all(&build)?)
}
