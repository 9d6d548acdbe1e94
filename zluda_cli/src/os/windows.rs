//! Windows: the driver is in the process before the program runs, and so is what leads all requests to it.

use crate::which::{Places, whose};
use std::ffi::{OsStr, OsString};
use std::io::{Error, ErrorKind, Result};
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::ptr::null_mut;
use windows_sys::Win32::Storage::FileSystem::SearchPathW;
use windows_sys::Win32::System::LibraryLoader::{GetModuleFileNameW, GetModuleHandleW};
use windows_sys::Win32::System::SystemInformation::GetSystemWindowsDirectoryW;
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

/// What a function of Windows writes: it takes a buffer with its length, and returns how much of it is used.
fn text(write: impl FnOnce(*mut u16, u32) -> u32) -> Option<OsString> {
    let mut words = vec![0; 32768];
    let length = write(words.as_mut_ptr(), words.len() as u32) as usize;
    words.get(..length).filter(|words| !words.is_empty()).map(OsString::from_wide)
}

fn words(text: &OsStr) -> Vec<u16> {
    text.encode_wide().chain([0]).collect()
}

/// The path of the DLL that this process has loaded under one of these names.
pub fn loaded(names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| {
        let name = words(name.as_ref());
        // SAFETY: the name ends with 0, and the text has room for as many words as it says.
        let path = text(|to, size| unsafe {
            match GetModuleHandleW(name.as_ptr()) {
                module if module.is_null() => 0,
                module => GetModuleFileNameW(module, to, size),
            }
        })?;
        Some(path.to_string_lossy().into_owned())
    })
}

/// The file of a program that a person names, in the working directory or on the search path.
fn program_file(program: &OsStr) -> Option<PathBuf> {
    let found = found(program);
    let (name, extension) = (words(&found), words(".exe".as_ref()));
    // SAFETY: both texts end with 0, and there is room for as many words as is said.
    let path = text(|to, size| unsafe {
        SearchPathW(std::ptr::null(), name.as_ptr(), extension.as_ptr(), size, to, null_mut())
    });
    path.map(PathBuf::from).filter(|path| path.is_file())
}

/// Says which driver programs load: with `zluda run`, and without.
pub fn examine_driver(folder: &Path, program: Option<&OsStr>) {
    let own = folder.join(DRIVER_WINDOWS);
    let file = program.and_then(program_file);
    let shown = match (program, &file) {
        (None, _) => "a program".to_owned(),
        (Some(_), Some(file)) => file.display().to_string(),
        (Some(program), None) => {
            println!("problem: {}: program not found", Path::new(program).display());
            return;
        }
    };
    let missing = [DRIVER_WINDOWS, REDIRECT].map(|name| folder.join(name));
    let missing = missing.iter().find(|path| !path.exists());
    let checked = file.as_deref().map_or(Ok(()), zluda_inject::check_file);
    match (missing, checked.and_then(|()| zluda_inject::check_folder(folder))) {
        (Some(missing), _) => println!("problem: {} is missing", missing.display()),
        (None, Err(error)) => {
            println!("problem: with `zluda run`, {shown} does not start: {error}")
        }
        (None, Ok(())) => println!("ok: with `zluda run`, {shown} loads {}", own.display()),
    }
    // SAFETY: there is room for as many words as is said.
    let windows = text(|to, size| unsafe { GetSystemWindowsDirectoryW(to, size) });
    let windows = windows.map_or_else(|| PathBuf::from(r"C:\Windows"), PathBuf::from);
    let places = Places {
        program: file.as_deref().and_then(Path::parent),
        windows: &windows,
        here: &std::env::current_dir().unwrap_or_default(),
        path: &std::env::var_os("PATH").unwrap_or_default(),
    };
    match places.driver() {
        Some(path) => {
            println!("ok: without it, {shown} loads {}, {}", path.display(), whose(&path, &own));
        }
        None => println!("ok: without it, {shown} finds no {DRIVER_WINDOWS}"),
    }
}

/// Of AMD's driver for Windows nothing shows but its HIP.
pub fn examine_system() {}

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
