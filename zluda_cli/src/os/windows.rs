//! Windows: the driver is in the process before the program runs, and so is what leads all requests to it.

use std::ffi::{OsStr, OsString};
use std::io::{Error, ErrorKind, Result};
use std::path::Path;
use std::process::{Command, ExitCode};
use zluda_inject::names::Names;
use zluda_staged::{DRIVER_WINDOWS, REDIRECT};

/// The path by which a program is found, as a person at a shell names it: the working directory comes first there, and the
/// standard library leaves it out.
pub fn found(program: &OsStr) -> OsString {
    let here = Path::new(program).file_name().filter(|name| *name == program);
    let here = here.and_then(|name| std::path::absolute(name).ok());
    let places = here.into_iter().flat_map(|path| {
        let mut named = path.clone().into_os_string();
        named.push(".exe");
        [path, named.into()]
    });
    places.into_iter().find(|path| path.is_file()).map_or_else(|| program.to_owned(), Into::into)
}

/// The exit codes of programs that Windows cannot load, which say nothing at a console.
const NEVER_BEGAN: &[(u32, &str)] = &[
    (0xc000_007b, "a DLL that it imports is for another kind of processor, or damaged"),
    (0xc000_0135, "a DLL that it imports is missing"),
    (0xc000_0139, "a DLL that it imports lacks a function"),
    (0xc000_0142, "a DLL that it imports does not start"),
    (0xc000_0428, "a DLL that it imports is not signed"),
];

/// Runs the program to its end, and ends with its exit code.
pub fn run(command: &mut Command, folder: &Path) -> Result<ExitCode> {
    let dlls = [DRIVER_WINDOWS, REDIRECT].map(|name| folder.join(name));
    if let Some(missing) = dlls.iter().find(|path| !path.exists()) {
        return Err(Error::other(format!("{} is missing", missing.display())));
    }
    let program = Path::new(command.get_program());
    if program.is_file() {
        zluda_inject::check_file(program)?;
    }
    match zluda_inject::run(command, &dlls, &Names::new(folder)) {
        Ok(code) => {
            if let Some((_, reason)) = NEVER_BEGAN.iter().find(|(status, _)| *status == code) {
                eprintln!("zluda: the program never began: {reason} ({code:#x})");
            }
            // Exit codes have more bits here than `ExitCode` takes.
            std::process::exit(code.cast_signed())
        }
        // What starts processes says so of files that are no programs.
        Err(error) if error.raw_os_error() == Some(193) => {
            Err(Error::new(ErrorKind::PermissionDenied, error))
        }
        Err(error) => Err(error),
    }
}
