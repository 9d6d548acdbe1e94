//! Rust's standard library, built of the sources that Debian has of every release.

use crate::program::{loud, quiet};
use crate::repository::{files, make};
use crate::toolkit::rust_sources;
use crate::{Result, program};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What rustc says to these arguments.
pub fn rustc(arguments: &[&str]) -> Result<String> {
    Ok(quiet(Command::new("rustc").args(arguments), Duration::from_secs(60))?.stdout)
}

/// Puts the library for a target into `root`, a folder that rustc takes for its own with `--sysroot`, if there is none of
/// this rustc there. `flags` are rustc's, besides those that Rust's own build has.
pub fn build(root: &Path, target: &str, flags: &str) -> Result<()> {
    let version = rustc(&["--version"])?;
    let stamp = root.join("version");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == version) {
        return Ok(());
    }
    crate::repository::make_empty(root)?;
    // "rustc 1.95.0 (59807616e 2026-04-14)"
    let number = version.split(' ').nth(1).ok_or("rustc does not say its version")?;
    let sources = rust_sources(number)?.folder().join("usr/src").join(format!("rustc-{number}"));
    crate::progress::heading(&format!(
        "Building Rust's standard library for {target}, in a minute or two"
    ));
    let build = root.join("build");
    let mut command = program::cargo();
    command
        .args(["build", "--release", "--features", "panic-unwind,backtrace", "--target", target])
        .arg("--manifest-path")
        .arg(sources.join("library/sysroot/Cargo.toml"))
        .arg("--target-dir")
        .arg(&build)
        // What Rust's own build says to a compiler that is no nightly one.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", format!("-Zforce-unstable-if-unmarked -Cembed-bitcode=yes {flags}"))
        .env("__CARGO_DEFAULT_LIB_METADATA", "stablestd");
    loud(&mut command)?;
    let libraries = root.join("lib/rustlib").join(target).join("lib");
    make(&libraries)?;
    for file in files(&build.join(target).join("release/deps"), "rlib")? {
        fs::copy(&file, libraries.join(file.file_name().unwrap_or_default()))?;
    }
    fs::remove_dir_all(&build)?;
    Ok(fs::write(stamp, version)?)
}
