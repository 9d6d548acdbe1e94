//! Windows: the driver is in the process before the program runs, and so is what leads all requests to it.

use std::ffi::{OsStr, OsString};
use std::io::{Error, ErrorKind, Result};
use std::path::Path;
use std::process::{Command, ExitCode};
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

/// Runs the program to its end, and ends with its exit code.
pub fn run(command: &mut Command, folder: &Path) -> Result<ExitCode> {
    let dlls = [DRIVER_WINDOWS, REDIRECT].map(|name| folder.join(name));
    if let Some(missing) = dlls.iter().find(|path| !path.exists()) {
        return Err(Error::other(format!("{} is missing", missing.display())));
    }
    match zluda_inject::run(command, &dlls) {
        // Exit codes have more bits here than `ExitCode` takes.
        Ok(code) => std::process::exit(code.cast_signed()),
        // What starts processes says so of files that are no programs.
        Err(error) if error.raw_os_error() == Some(193) => {
            Err(Error::new(ErrorKind::PermissionDenied, error))
        }
        Err(error) => Err(error),
    }
}
