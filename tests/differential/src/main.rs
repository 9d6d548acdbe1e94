//! `differential LIBRARY list` names the cases; `differential LIBRARY CASE` runs one and prints what the library answered.
//!
//! One case a process: NVIDIA's own driver crashes on some of the hostile ones, and a sticky error of
//! one must not meet the next. `differential LIBRARY record [FILTER]` runs all cases, or those whose name contains the filter, each
//! in a child, and prints the table that is kept as data: with NVIDIA's library it makes `answers/<GPU>.txt`. A case that has
//! run for half a minute hangs.

// A test program: it stops by panicking, and its output is its purpose.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod cases;
mod setup;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use cases::Body;
use differential::api::Api;
use differential::child;

/// The output of a case: result codes and values, in the order of its calls.
pub type Answers = Vec<i64>;

/// Answers with names, printed when they are given.
#[derive(Default)]
pub struct Sheet(BTreeSet<String>);

impl Sheet {
    /// How many answers there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Writes down an answer: a result code, or a value.
    pub fn put(&mut self, name: &str, answer: impl TryInto<i64>) {
        assert!(self.0.insert(name.to_owned()), "{name}: two answers");
        assert!(!name.contains([' ', '=', '#', ':']), "{name}: no name");
        print!("{name}={} ", answer.try_into().unwrap_or(i64::MAX));
        std::io::stdout().flush().unwrap();
    }
}

fn run(library: &Path, name: &str) -> Result<(), String> {
    let case =
        cases::all().into_iter().find(|case| case.0 == name).ok_or(format!("no case {name}"))?;
    let api = Api::load(library)?;
    match case.1 {
        Body::Row(body) => {
            let answers: Vec<_> = body(&api).iter().map(i64::to_string).collect();
            print!("{}", answers.join(" "));
        }
        Body::Sheet(body) => body(&api, &mut Sheet::default()),
    }
    println!();
    Ok(())
}

/// The time that a case may take.
const LIMIT: Duration = Duration::from_secs(30);

fn record(library: &str, filter: &str) {
    let this = std::env::current_exe().unwrap();
    for (name, _) in cases::all().into_iter().filter(|case| case.0.contains(filter)) {
        let mut command = Command::new(&this);
        let (output, has_ended) = child::output(command.args([library, name]), LIMIT);
        let said = match has_ended {
            false => format!("{} hang", String::from_utf8_lossy(&output.stdout).trim()),
            true => child::said(&output),
        };
        println!("{name}: {}", said.trim());
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (library, verb, filter) = match arguments.as_slice() {
        [library, verb] => (library, verb, ""),
        [library, verb, filter] if verb == "record" => (library, verb, filter.as_str()),
        _ => {
            eprintln!("usage: differential LIBRARY list|record [FILTER]|CASE");
            return ExitCode::from(2);
        }
    };
    match verb.as_str() {
        "list" => cases::all().iter().for_each(|case| println!("{}", case.0)),
        "record" => record(library, filter),
        name => match run(Path::new(library), name) {
            Ok(()) => {}
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        },
    }
    ExitCode::SUCCESS
}
