//! Linux: the driver is on the program's search path and in its linker.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use zluda_staged::{ASSEMBLER, AUDIT, LIBRARIES};

/// By which Triton is told of another ptxas than its own.
const ASSEMBLER_VARIABLE: &str = "TRITON_PTXAS_PATH";

/// The path by which a program is found, as a person at a shell names it.
pub fn found(program: &OsStr) -> &OsStr {
    program
}

/// Becomes the program. Returns only if it cannot be started.
pub fn run(command: &mut Command, folder: &Path) -> io::Result<ExitCode> {
    let audit = folder.join(AUDIT);
    let mut path = folder.as_os_str().to_owned();
    if zluda_common::config::config().prefers_own_libraries() {
        path.push(":");
        path.push(folder.join(LIBRARIES));
    }
    command.env("LD_LIBRARY_PATH", prepended("LD_LIBRARY_PATH", path.as_ref()));
    if audit.exists() {
        command.env("LD_AUDIT", prepended("LD_AUDIT", &audit));
    }
    let assembler = folder.join(ASSEMBLER);
    if std::env::var_os(ASSEMBLER_VARIABLE).is_none() && assembler.exists() {
        command.env(ASSEMBLER_VARIABLE, assembler);
    }
    Err(command.exec())
}

/// `first`, before what a colon-separated variable holds.
fn prepended(variable: &str, first: &Path) -> OsString {
    let mut value = first.as_os_str().to_owned();
    if let Some(rest) = std::env::var_os(variable).filter(|rest| !rest.is_empty()) {
        value.push(OsStr::new(":"));
        value.push(rest);
    }
    value
}
