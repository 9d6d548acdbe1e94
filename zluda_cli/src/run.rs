//! `zluda run`: becomes the program, or starts it, with this ZLUDA's driver in NVIDIA's place.

use crate::{Failure, os, staged};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The exit statuses of shells for a program that is not there, and one that cannot be executed.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;

#[derive(clap::Args)]
pub struct Options {
    /// The program, found like a shell finds it, and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,
}

/// Returns only if the program cannot be started, or, where processes cannot become others, when it has ended.
pub fn run(options: &Options) -> Result<ExitCode, Failure> {
    let folder = staged::folder()?;
    let Some((program, arguments)) = options.program.split_first() else {
        return Err(Failure::from("no program is named".to_owned()));
    };
    let error = match os::run(Command::new(os::found(program)).args(arguments), &folder) {
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
