//! Log lines: to standard error or to a file, never to standard output.
//!
//! Code logs with the macros of `tracing`; what is shown is set by `ZLUDA_LOG` ([`crate::config`]).
//! Each library calls [`init`] where programs enter it; calls after the first cost an atomic load.

use crate::config::{self, LogConfig, LogLevel};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::fmt::{Debug, Write as _};
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::sync::{Arc, Once};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::{Context, SubscriberExt};

/// Sets up logging as `ZLUDA_LOG` says, once, and logs the bad values of all environment variables.
///
/// A subscriber that the process has installed before is left alone.
pub fn init() {
    init_and_report(true);
}

/// As [`init`], for a library that another one of ours has loaded: that one reports the bad values.
pub fn init_beside() {
    init_and_report(false);
}

fn init_and_report(report: bool) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let log = &config::config().log;
        let (writer, problem) = match log.file.as_deref().map(open) {
            None => (BoxMakeWriter::new(|| errors::Errors), None),
            Some(Ok(file)) => (BoxMakeWriter::new(file), None),
            Some(Err(reason)) => (BoxMakeWriter::new(|| errors::Errors), Some(reason)),
        };
        let _ = tracing::subscriber::set_global_default(subscriber(log, writer));
        if report {
            for problem in problem.iter().chain(config::problems()) {
                tracing::warn!("{problem}");
            }
        }
    });
}

/// Standard error, a line at a time. No lock is taken, which another thread could have while the process is forked: what the
/// child wants to say would never end.
mod errors {
    pub(super) struct Errors;

    #[cfg(unix)]
    impl std::io::Write for Errors {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            // SAFETY: the bytes outlive the call.
            let written =
                unsafe { libc::write(libc::STDERR_FILENO, bytes.as_ptr().cast(), bytes.len()) };
            usize::try_from(written).map_err(|_| std::io::Error::last_os_error())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[cfg(windows)]
    impl std::io::Write for Errors {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            std::io::stderr().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            std::io::stderr().flush()
        }
    }
}

/// A file that lines of several processes are appended to.
fn open(path: &std::path::Path) -> Result<Arc<File>, String> {
    OpenOptions::new().create(true).append(true).open(path).map(Arc::new).map_err(|error| {
        format!("ZLUDA_LOG: cannot open {}: {error}; logging to standard error", path.display())
    })
}

fn subscriber(log: &LogConfig, writer: BoxMakeWriter) -> impl tracing::Subscriber + Send + Sync {
    tracing_subscriber::registry().with(Lines(writer)).with(targets(log))
}

fn targets(log: &LogConfig) -> Targets {
    let default = Targets::new().with_default(level_filter(LogLevel::default()));
    let debug = &config::config().debug;
    let shown = [("time", debug.time), ("pass", !debug.print.is_empty())];
    let default = shown
        .into_iter()
        .filter(|(_, shown)| *shown)
        .fold(default, |targets, (name, _)| targets.with_target(name, LevelFilter::INFO));
    log.levels.iter().fold(default, |targets, (name, level)| match name.as_str() {
        "" => targets.with_default(level_filter(*level)),
        name => targets.with_target(name, level_filter(*level)),
    })
}

fn level_filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}

/// `[zluda] warn hip_cpu: text`: says whose line it is, among the lines of the program.
///
/// Uses no variable of the thread: programs call the driver in exit handlers, when those are gone.
struct Lines(BoxMakeWriter);

impl<S: tracing::Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        let level = match *event.metadata().level() {
            tracing::Level::ERROR => "error",
            tracing::Level::WARN => "warn",
            tracing::Level::INFO => "info",
            tracing::Level::DEBUG => "debug",
            tracing::Level::TRACE => "trace",
        };
        let mut line = format!("[zluda] {level} {}: ", event.metadata().target());
        event.record(&mut Message(&mut line));
        line.push('\n');
        // Nobody can be told that nobody can be told.
        let _ = self.0.make_writer_for(event.metadata()).write_all(line.as_bytes());
    }
}

/// The text of an event; other fields follow it.
struct Message<'l>(&'l mut String);

impl Visit for Message<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

/// True the first time that this process asks about `name`, false ever after.
///
/// For lines about something found out at run time, such as the name of a function that is not
/// implemented; where the place in the code says it all, [`warn_once!`](crate::warn_once) is cheaper.
pub fn first_time(name: &str) -> bool {
    static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut seen = SEEN.lock();
    !seen.contains(name) && seen.insert(name.to_owned())
}

/// `tracing::warn!`, the first time that control comes here.
#[macro_export]
macro_rules! warn_once {
    ($($argument:tt)+) => {{
        static ONCE: ::std::sync::Once = ::std::sync::Once::new();
        ONCE.call_once(|| $crate::log::tracing::warn!($($argument)+));
    }};
}

#[doc(hidden)]
pub use tracing;

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(log: &LogConfig, emit: impl FnOnce()) -> String {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("log");
        let file = open(&path).expect("the log file opens");
        tracing::subscriber::with_default(subscriber(log, BoxMakeWriter::new(file)), emit);
        std::fs::read_to_string(path).expect("the log file can be read")
    }

    #[test]
    fn levels_select_lines() {
        let log = LogConfig {
            levels: vec![(String::new(), LogLevel::Error), ("ptx".to_owned(), LogLevel::Debug)],
            file: None,
        };
        let text = lines(&log, || {
            tracing::error!(target: "hip_cpu", "one {}", 1);
            tracing::warn!(target: "hip_cpu", "two");
            tracing::debug!(target: "ptx::lower", "three");
            tracing::trace!(target: "ptx", "four");
        });
        assert_eq!(text, "[zluda] error hip_cpu: one 1\n[zluda] debug ptx::lower: three\n");
    }

    #[test]
    fn warnings_are_shown_by_default() {
        let text = lines(&LogConfig::default(), || {
            tracing::info!(target: "a", "quiet");
            tracing::warn!(target: "a", "loud");
        });
        assert_eq!(text, "[zluda] warn a: loud\n");
    }

    #[test]
    fn lines_appear_once() {
        let text = lines(&LogConfig::default(), || {
            for number in 0..3 {
                warn_once!("number {number}");
            }
        });
        assert_eq!(text.lines().count(), 1);
        assert!(text.ends_with(": number 0\n"), "{text}");
        assert!(first_time("log::tests::a"));
        assert!(first_time("log::tests::b"));
        assert!(!first_time("log::tests::a"));
    }

    #[test]
    fn a_log_file_that_cannot_be_opened_is_named() {
        let error = open(std::path::Path::new("/nonexistent/folder/log"))
            .expect_err("there is no such folder");
        assert!(error.starts_with("ZLUDA_LOG: cannot open /nonexistent/folder/log: "), "{error}");
    }
}
