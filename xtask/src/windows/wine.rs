//! Wine, in a prefix of its own below `target/windows`.

use super::{folder, mingw, runs};
use crate::Result;
use crate::program::quiet;
use crate::repository::make_empty;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Where Debian puts it; its other name is a script that wants a screen.
const PROGRAM: &str = "/usr/lib/wine/wine64";

/// Rust's standard library asks for this function of Windows 10, which Wine 8 does not have.
const PROCESS_PRNG: &str = include_str!("process_prng.c");

/// Writes a program's output to files: to pipes, Wine's programs write nothing when they crash.
const RUNNER: &str = r#"#!/bin/sh
out=$(mktemp)
PROGRAM "$@" >"$out" 2>"$out.err" </dev/null
status=$?
cat "$out"
cat "$out.err" >&2
rm -f "$out" "$out.err"
exit $status
"#;

/// An installed Wine with its prefix.
#[derive(Debug)]
pub struct Wine {
    prefix: PathBuf,
    /// A program that takes a program of Windows and its arguments.
    pub runner: PathBuf,
    waiting: Option<Waiting>,
}

/// A program of Windows that waits as long as this lives. After the last program Wine ends all that runs beside them, and
/// starts it again with the next: that takes longer than most programs do.
#[derive(Debug)]
struct Waiting(Child);

impl Drop for Waiting {
    fn drop(&mut self) {
        // The shell ends with its input.
        drop(self.0.stdin.take());
        if let Err(error) = self.0.wait() {
            eprintln!("Wine's shell does not end: {error}");
        }
    }
}

impl Wine {
    /// Makes the prefix, unless it is there. `None` where Wine is not installed.
    pub fn new() -> Result<Option<Wine>> {
        if !Path::new(PROGRAM).exists() || !runs(&mut Command::new(PROGRAM)) {
            return Ok(None);
        }
        let (prefix, runner) = (folder().join("wine"), folder().join("run_in_wine.sh"));
        let mut wine = Wine { prefix, runner, waiting: None };
        let stamp = wine.prefix.join(".made");
        if !stamp.exists() {
            make_empty(&wine.prefix)?;
            wine.make()?;
            fs::write(stamp, "")?;
        }
        fs::write(&wine.runner, RUNNER.replace("PROGRAM", PROGRAM))?;
        fs::set_permissions(&wine.runner, fs::Permissions::from_mode(0o755))?;
        wine.waiting = Some(wine.wait()?);
        Ok(Some(wine))
    }

    fn wait(&self) -> Result<Waiting> {
        let mut shell = Command::new(PROGRAM);
        self.environment(&mut shell);
        shell.arg("cmd.exe").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Waiting(shell.spawn()?))
    }

    fn make(&self) -> Result<()> {
        let mut boot = Command::new(PROGRAM);
        self.environment(&mut boot);
        quiet(boot.args(["wineboot", "--init"]), Duration::from_secs(300))?;
        let source = self.prefix.join("process_prng.c");
        fs::write(&source, PROCESS_PRNG)?;
        let mut compiler = mingw("gcc-posix");
        compiler.args(["-shared", "-O1"]).arg(&source).args(["-ladvapi32", "-o"]);
        compiler.arg(self.system32().join("bcryptprimitives.dll"));
        quiet(&mut compiler, Duration::from_secs(60)).map(drop)
    }

    /// The folder of Windows's own DLLs.
    pub fn system32(&self) -> PathBuf {
        self.prefix.join("drive_c/windows/system32")
    }

    /// An error that names the processes of this Wine that run in a folder or below it.
    pub fn no_process_of(&self, folder: &Path) -> std::result::Result<(), String> {
        let mut found = Vec::new();
        for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let process = process.path();
            let works_there =
                fs::read_link(process.join("cwd")).is_ok_and(|at| at.starts_with(folder));
            let environment = fs::read(process.join("environ")).unwrap_or_default();
            let prefix = format!("WINEPREFIX={}", self.prefix.display());
            if works_there && environment.split(|&byte| byte == 0).any(|it| it == prefix.as_bytes())
            {
                let line = fs::read(process.join("cmdline")).unwrap_or_default();
                found.push(String::from_utf8_lossy(&line).replace('\0', " "));
            }
        }
        if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
    }

    /// Sets what Wine needs; no window comes when a program crashes.
    pub fn environment(&self, command: &mut Command) {
        command
            .env("WINEPREFIX", &self.prefix)
            // Arguments and paths of all letters.
            .env("LC_ALL", "C.UTF-8")
            .env("WINEDEBUG", "-all")
            .env("WINEDLLOVERRIDES", "mscoree,mshtml,winedbg.exe=");
    }

    /// Runs a program of Windows.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(&self.runner);
        command.arg(program);
        self.environment(&mut command);
        command
    }
}

/// A path as programs of Windows see it.
pub fn windows_path(path: &Path) -> OsString {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    format!("Z:{}", path.display()).replace('/', "\\").into()
}
