//! The error log: which calls have failed with what, as `cuLogs*` and `CUDA_LOG_FILE` give it to programs.
//!
//! Lines have NVIDIA's form. NVIDIA's driver adds sentences on the reasons of some failures; those of this driver are in its
//! own log (`ZLUDA_LOG`).

use crate::core::device::driver;
use crate::os;
use cuda_types::cuda::{CUerror, CUlogLevel, CUlogsCallback, CUres, CUresult, result_name};
use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::ffi::{CString, c_void};
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// As many entries as an H100's driver keeps.
const MOST: usize = 100;

/// A call that failed.
#[derive(Clone, Copy, Debug)]
struct Entry {
    time: SystemTime,
    thread: u64,
    function: &'static str,
    error: CUerror,
}

/// A program's function that wants to know of failures.
#[derive(Clone, Copy)]
struct Listener {
    id: u64,
    function: CUlogsCallback,
    data: *mut c_void,
}

// SAFETY: the driver does nothing with the data but to pass it on.
unsafe impl Send for Listener {}

struct Log {
    /// The number of the first entry that is kept: those before are gone.
    first: u32,
    entries: VecDeque<Entry>,
    listeners: Vec<Listener>,
    next_listener: u64,
}

impl Log {
    /// The number that the next entry will have.
    fn end(&self) -> u32 {
        self.first.wrapping_add(self.entries.len() as u32)
    }
}

static LOG: Mutex<Log> =
    Mutex::new(Log { first: 0, entries: VecDeque::new(), listeners: Vec::new(), next_listener: 1 });

/// The log; `NOT_INITIALIZED` in a forked child, which must not wait for its parent's threads.
fn log() -> CUres<MutexGuard<'static, Log>> {
    driver::check_not_forked()?;
    Ok(LOG.lock())
}

/// Where entries are written at once.
enum Sink {
    Nowhere,
    Output,
    Errors,
    File(std::fs::File),
}

/// `CUDA_LOG_FILE`: `stdout`, `stderr`, or a file that lines are appended to.
static SINK: LazyLock<Sink> = LazyLock::new(|| match std::env::var_os("CUDA_LOG_FILE") {
    None => Sink::Nowhere,
    Some(name) if name.is_empty() => Sink::Nowhere,
    Some(name) if name == "stdout" => Sink::Output,
    Some(name) if name == "stderr" => Sink::Errors,
    Some(name) => match OpenOptions::new().create(true).append(true).open(&name) {
        Ok(file) => Sink::File(file),
        Err(error) => {
            tracing::warn!("CUDA_LOG_FILE: cannot open {}: {error}", name.display());
            Sink::Nowhere
        }
    },
});

impl Entry {
    /// The sentence without its head, as callbacks get it.
    fn message(&self) -> String {
        let result = CUresult::from(self.error);
        let name = result_name(result).map_or("unknown".into(), |name| name.to_string_lossy());
        format!("Returning {} ({name}) from {}", result.0, self.function)
    }

    fn line(&self) -> String {
        let since = self.time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let [hours, minutes, seconds] = os::local_time(since.as_secs());
        let (milliseconds, thread) = (since.subsec_millis(), self.thread);
        format!(
            "[{hours:02}:{minutes:02}:{seconds:02}.{milliseconds:03}][{thread}][CUDA][E] {}\n",
            self.message()
        )
    }
}

/// Notes that a function has failed.
#[cold]
pub(crate) fn note(function: &'static str, error: CUerror) {
    if driver::check_not_forked().is_err() {
        return;
    }
    let entry = Entry { time: SystemTime::now(), thread: os::thread_id(), function, error };
    match &*SINK {
        Sink::Nowhere => {}
        // A program that has closed its output wants none.
        Sink::Output => _ = std::io::stdout().write_all(entry.line().as_bytes()),
        Sink::Errors => _ = std::io::stderr().write_all(entry.line().as_bytes()),
        Sink::File(file) => _ = { file }.write_all(entry.line().as_bytes()),
    }
    let listeners = {
        let mut log = LOG.lock();
        if log.entries.len() == MOST {
            log.entries.pop_front();
            log.first = log.first.wrapping_add(1);
        }
        log.entries.push_back(entry);
        log.listeners.clone()
    };
    if listeners.is_empty() {
        return;
    }
    let Ok(message) = CString::new(entry.message()) else { return };
    let length = message.as_bytes().len();
    for Listener { function, data, .. } in listeners {
        if let Some(function) = function {
            // The program may write into it.
            let copy = message.clone().into_raw();
            // SAFETY: the program has registered the function with this data.
            unsafe { function(data, CUlogLevel::CU_LOG_LEVEL_ERROR, copy, length) };
            // SAFETY: made above; its length is the same as long as the program keeps to its length.
            drop(unsafe { CString::from_raw(copy) });
        }
    }
}

/// Has a function called at each failure; the number by which that ends.
pub(crate) fn listen(function: CUlogsCallback, data: *mut c_void) -> CUres<u64> {
    let mut log = log()?;
    let id = log.next_listener;
    log.next_listener += 1;
    log.listeners.push(Listener { id, function, data });
    Ok(id)
}

/// `INVALID_VALUE` if nobody listens by this number.
pub(crate) fn stop_listening(id: u64) -> CUres {
    let listeners = &mut log()?.listeners;
    let at = listeners.iter().position(|listener| listener.id == id);
    listeners.remove(at.ok_or(CUerror::INVALID_VALUE)?);
    Ok(())
}

/// The number that the next entry will have.
pub(crate) fn end() -> CUres<u32> {
    Ok(log()?.end())
}

/// The lines of the entries from a number on, oldest first, and the number behind them; `INVALID_VALUE` for numbers that
/// no entry has had yet.
pub(crate) fn lines(from: Option<u32>) -> CUres<(Vec<String>, u32)> {
    let log = log()?;
    let end = log.end();
    let from = from.unwrap_or(0);
    if from > end {
        return Err(CUerror::INVALID_VALUE);
    }
    let skipped = from.saturating_sub(log.first) as usize;
    let mut lines = Vec::new();
    if from < log.first {
        let mut gone = String::new();
        let _ = writeln!(gone, "{} older messages are gone: {MOST} are kept", log.first - from);
        lines.push(gone);
    }
    lines.extend(log.entries.iter().skip(skipped).map(Entry::line));
    Ok((lines, end))
}
