//! Linux: the driver is on the program's search path and in its linker.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
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

/// The path of the library that this process has loaded under one of these names.
pub fn loaded(names: &[&str]) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let mut paths = maps.lines().filter_map(|line| line.find('/').map(|start| &line[start..]));
    let is_named = |path: &&str| {
        let file = path.rsplit('/').next().unwrap_or(path);
        names.iter().any(|name| file.starts_with(name))
    };
    paths.find(is_named).map(str::to_owned)
}

/// What programs load beside the driver is said by the dynamic linker's own variables.
pub fn examine_driver(_folder: &Path, _program: Option<&OsStr>) {}

/// Linux's driver of AMD GPUs: the files through which ROCm talks to it.
pub fn examine_system() {
    let mut paths = vec!["/dev/kfd".to_owned()];
    if let Ok(entries) = std::fs::read_dir("/dev/dri") {
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        paths.extend(
            names.filter(|name| name.starts_with("renderD")).map(|n| format!("/dev/dri/{n}")),
        );
    }
    for path in paths {
        match OpenOptions::new().read(true).write(true).open(&path) {
            Ok(_) => println!("ok: {path} can be opened"),
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                println!("problem: {path}: {error}; the groups `render` and `video` may open it");
            }
            Err(error) => println!("problem: {path}: {error}; is the driver `amdgpu` loaded?"),
        }
    }
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
