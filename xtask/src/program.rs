//! Running other programs.

use crate::{Error, Result};
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The part of each of a program's outputs that is kept, in bytes.
const OUTPUT_LIMIT: u64 = 256 << 20;

/// The end and the outputs of a program.
#[derive(Debug)]
pub struct Output {
    /// `None`: it ran past its time limit and was ended.
    pub status: Option<ExitStatus>,
    pub stdout: String,
    pub stderr: String,
    pub time: Duration,
}

impl Output {
    /// Whether it ended in time, with status 0.
    pub fn success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// An error that describes it, unless it ended in time, with status 0.
    pub fn succeeded(&self) -> std::result::Result<(), String> {
        if self.success() { Ok(()) } else { Err(self.describe()) }
    }

    /// The way in which it ended, and all that it wrote, shortened in the middle.
    pub fn describe(&self) -> String {
        let end = match self.status {
            Some(status) => status.to_string(),
            None => format!("ended after {} s", self.time.as_secs()),
        };
        let mut text = end;
        for (name, stream) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !stream.trim().is_empty() {
                text += &format!("\n--- {name}\n{}", shorten(stream.trim_end(), 40));
            }
        }
        text
    }
}

/// The first and the last lines of a long text.
fn shorten(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    if all.len() <= 2 * lines {
        return text.to_owned();
    }
    let left_out = all.len() - 2 * lines;
    format!(
        "{}\n... {left_out} lines ...\n{}",
        all[..lines].join("\n"),
        all[all.len() - lines..].join("\n")
    )
}

/// Runs a program to its end, or to the end of `limit`, and keeps what it writes.
pub fn capture(command: &mut Command, limit: Duration) -> Result<Output> {
    capture_until(command, limit, Child::kill)
}

/// The same for a program that nobody here wrote: at the end of `limit` all processes that it started end too.
pub fn capture_group(command: &mut Command, limit: Duration) -> Result<Output> {
    command.process_group(0);
    capture_until(command, limit, |child| {
        // SAFETY: plain numbers; the group is the child's own, which is not waited for yet.
        match unsafe { libc::kill(-child.id().cast_signed(), libc::SIGKILL) } {
            0 => Ok(()),
            _ => child.kill(),
        }
    })
}

fn capture_until(
    command: &mut Command,
    limit: Duration,
    end: impl FnOnce(&mut Child) -> std::io::Result<()>,
) -> Result<Output> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| cannot_run(command, &error))?;
    let stdout = child.stdout.take().map(read_all);
    let stderr = child.stderr.take().map(read_all);
    let status = wait(&mut child, start + limit, end)?;
    let time = start.elapsed();
    let text = |reader: Option<JoinHandle<Vec<u8>>>| {
        let bytes = reader.and_then(|reader| reader.join().ok()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Output { status, stdout: text(stdout), stderr: text(stderr), time })
}

fn read_all(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is still worth showing. A program that writes without end is read, so
        // that it goes on, and not kept.
        let _ = stream.by_ref().take(OUTPUT_LIMIT).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
        bytes
    })
}

fn wait(
    child: &mut Child,
    deadline: Instant,
    end: impl FnOnce(&mut Child) -> std::io::Result<()>,
) -> Result<Option<ExitStatus>> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            end(child)?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(1));
    }
}

/// Runs a program that must succeed; what it writes is shown only if it does not.
pub fn quiet(command: &mut Command, limit: Duration) -> Result<Output> {
    let output = capture(command, limit)?;
    if output.success() {
        Ok(output)
    } else {
        Err(format!("{}: {}", shown(command), output.describe()).into())
    }
}

/// Runs a program that must succeed, and lets it write to the terminal.
pub fn loud(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|error| cannot_run(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", shown(command)).into()) }
}

/// The cargo that runs us.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(crate::repository::root());
    command
}

fn cannot_run(command: &Command, error: &std::io::Error) -> Error {
    format!("cannot run {}: {error}", shown(command)).into()
}

/// Program and arguments, as a person would type them.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}
