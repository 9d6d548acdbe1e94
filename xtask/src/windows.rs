//! Builds for Windows, and what runs them here: mingw, Rust's standard library for it, Wine. Everything lies below
//! `target/windows`, apart from Linux's builds.

pub mod cuda;
pub mod llvm;
mod stub;
mod sysroot;
pub mod wine;

use crate::program::{cargo, loud};
use crate::repository::{Profile, make, target};
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use zluda_staged::{LIBRARIES, STAGED_WINDOWS, STUBS, Staged};

/// Rust's name of it.
pub const TARGET: &str = "x86_64-pc-windows-gnu";
/// What mingw's programs begin with.
pub const MINGW: &str = "x86_64-w64-mingw32-";

/// The folder of all that is built for Windows.
pub fn folder() -> PathBuf {
    target().join("windows")
}

/// The folder of cargo's builds.
pub fn builds(profile: Profile) -> PathBuf {
    folder().join("build").join(TARGET).join(profile.name())
}

/// The staged files.
pub fn staged() -> PathBuf {
    folder().join("zluda")
}

/// A program of mingw's.
pub fn mingw(name: &str) -> Command {
    Command::new(format!("{MINGW}{name}"))
}

/// Whether a program is there at all.
fn runs(command: &mut Command) -> bool {
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// cargo for Windows; the verb comes first. An error says what is missing.
pub fn cargo_for_windows(verb: &str) -> Result<Command> {
    if !runs(&mut mingw("g++-posix")) {
        let missing = "mingw is not installed: g++-mingw-w64-x86-64-posix and mingw-w64-tools";
        return Err(missing.into());
    }
    // Where no LLVM is built: to cargo a folder that is not there has changed each time, and with it all that stands on LLVM.
    make(&llvm::built().join("lib"))?;
    let mut command = cargo();
    command.args([verb, "--target", TARGET, "--target-dir"]).arg(folder().join("build"));
    // No DLL of mingw's is to lie beside ours.
    let mut flags = "-Ctarget-feature=+crt-static".to_owned();
    if let Some(sysroot) = sysroot::sysroot()? {
        flags = format!("{flags} --sysroot {}", sysroot.display());
    }
    let variable = |name: &str| format!("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_{name}");
    command.env(variable("LINKER"), format!("{MINGW}gcc-posix"));
    command.env(variable("RUSTFLAGS"), flags);
    for (name, program) in [("CC", "gcc-posix"), ("CXX", "g++-posix"), ("AR", "ar")] {
        command.env(format!("{name}_x86_64_pc_windows_gnu"), format!("{MINGW}{program}"));
    }
    Ok(command)
}

/// Builds and stages everything.
pub fn build(profile: Profile) -> Result<()> {
    let mut command = cargo_for_windows("build")?;
    if profile == Profile::Release {
        command.arg("--release");
    }
    for staged in STAGED_WINDOWS {
        command.args(["--package", staged.package]);
    }
    loud(&mut command)?;
    make(&staged())?;
    for Staged { built, name, .. } in STAGED_WINDOWS {
        strip(&builds(profile).join(built), &staged().join(name))?;
    }
    let libraries = staged().join(LIBRARIES);
    make(&libraries)?;
    for stub in STUBS {
        // Not all libraries are built for Windows.
        if let Some(library) = stub.windows_library() {
            stub::make(&stub.windows_name(), library.name, &staged(), &libraries)?;
        }
    }
    Ok(())
}

/// Copies without symbols.
fn strip(from: &Path, to: &Path) -> Result<()> {
    let unfinished = to.with_extension("unfinished");
    loud(mingw("strip").arg(from).arg("-o").arg(&unfinished))?;
    std::fs::rename(&unfinished, to)
        .map_err(|error| -> Error { format!("{}: {error}", to.display()).into() })
}
