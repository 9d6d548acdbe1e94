//! `zluda run`: becomes the program, with this ZLUDA's driver on its search path and in its linker.

use crate::{Failure, os, staged};
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The exit statuses of shells for a program that is not there, and one that cannot be executed.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;

/// By which Triton is told of another ptxas than its own.
const ASSEMBLER_VARIABLE: &str = "TRITON_PTXAS_PATH";

#[derive(clap::Args)]
pub struct Options {
    /// The program, found like a shell finds it, and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,
}

/// Returns only if the program cannot be started, or, where processes cannot become others, when it has ended.
pub fn run(options: &Options) -> Result<ExitCode, Failure> {
    let folder = staged::folder()?;
    let audit = folder.join(staged::AUDIT);
    let Some((program, arguments)) = options.program.split_first() else {
        return Err(Failure::from("no program is named".to_owned()));
    };
    let mut command = Command::new(program);
    let mut path = folder.clone().into_os_string();
    if zluda_common::config::config().prefers_own_libraries() {
        path.push(":");
        path.push(folder.join(zluda_staged::LIBRARIES));
    }
    command.args(arguments).env("LD_LIBRARY_PATH", prepended("LD_LIBRARY_PATH", path.as_ref()));
    if audit.exists() {
        command.env("LD_AUDIT", prepended("LD_AUDIT", &audit));
    }
    let assembler = folder.join(staged::ASSEMBLER);
    if std::env::var_os(ASSEMBLER_VARIABLE).is_none() && assembler.exists() {
        command.env(ASSEMBLER_VARIABLE, assembler);
    }
    let error = match os::become_program(command) {
        Ok(code) => return Ok(code),
        Err(error) => error,
    };
    let shown = Path::new(program).display();
    Err(match error.kind() {
        ErrorKind::NotFound => {
            Failure { message: format!("{shown}: program not found"), status: NOT_FOUND }
        }
        ErrorKind::PermissionDenied => Failure {
            message: format!("{shown} cannot be executed: {error}"),
            status: NOT_EXECUTABLE,
        },
        _ => Failure {
            message: format!("{shown} cannot be started: {error}"),
            status: NOT_EXECUTABLE,
        },
    })
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
