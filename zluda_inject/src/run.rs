//! A program with DLLs, from its start to its end.

use std::io::{Error, ErrorKind, Result};
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::Console::SetConsoleCtrlHandler;
use windows_sys::Win32::System::Threading::CREATE_SUSPENDED;
use windows_sys::core::BOOL;

use crate::names::Names;

#[link(name = "ntdll")]
unsafe extern "system" {
    /// Lets all threads of a process run.
    fn NtResumeProcess(process: HANDLE) -> i32;
}

/// Runs a program with DLLs in it, and those that `names` has in place of others. Returns its exit code.
///
/// # Errors
/// A program that cannot be started, and one that cannot have the DLLs, which is not run.
pub fn run(command: &mut Command, dlls: &[PathBuf], names: &Names) -> Result<u32> {
    let mut child = command.creation_flags(CREATE_SUSPENDED).spawn()?;
    let process = child.as_raw_handle();
    let resume = || {
        // SAFETY: the handle is the child's.
        match unsafe { NtResumeProcess(process) } {
            0.. => Ok(()),
            status => Err(Error::other(format!("it does not go on: {status:#x}"))),
        }
    };
    if let Err(error) = crate::inject(process, dlls, names).and_then(|()| resume()) {
        child.kill()?;
        child.wait()?;
        return Err(match error.kind() {
            ErrorKind::PermissionDenied => {
                Error::other(format!("Windows lets no other program into it: {error}"))
            }
            _ => error,
        });
    }
    // SAFETY: a function that stays. Ctrl+C is for the program, which this process outlives.
    unsafe { SetConsoleCtrlHandler(Some(ignore), 1) };
    let status = child.wait()?;
    Ok(status.code().map_or(1, i32::cast_unsigned))
}

unsafe extern "system" fn ignore(_event: u32) -> BOOL {
    1
}
