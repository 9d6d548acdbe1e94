//! The driver under Valgrind while it compiles and runs random kernels. Values of LLVM's are pointers: one that outlives
//! its instruction is read without harm nearly always, and ends the process once in some thousands of programs.

use super::Report;
use super::random::verdicts;
use crate::Result;
use crate::program::capture;
use crate::progress::{heading, parallel};
use crate::repository::EMULATED;
use crate::verb::random::{build, check};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(900);

/// Executors, the kernels' answers, and how many parts there are, of which one runs: Valgrind takes fifty times as long.
const RUNS: [(&str, &str, usize); 4] = [
    ("reference", "h100.random-2", 2500),
    ("vector", "h100.random", 2500),
    ("vector", "h100.random-2", 6000),
    (EMULATED[0], "h100.random-2", 8000),
];

/// Runs the random kernels under Valgrind. Fails if their program cannot be built.
pub fn run(report: &mut Report) -> Result<()> {
    heading("Watching the driver's accesses to memory");
    build()?;
    let name = |&(executor, answers, _): &(&str, &str, usize)| {
        format!("random kernels, {answers}, under Valgrind ({executor})")
    };
    let results = parallel(
        &RUNS,
        name,
        |&(executor, answers, parts)| {
            let mut command = under_valgrind(&check(executor, answers, 0, parts));
            let output = capture(&mut command, LIMIT).map_err(|error| error.to_string())?;
            let agree = output.success() && verdicts(&output.stdout).is_some();
            if agree { Ok(()) } else { Err(output.describe()) }
        },
        |result| result.is_ok(),
    );
    for (run, result) in RUNS.iter().zip(results) {
        report.check(name(run), result);
    }
    Ok(())
}

/// The same program, which fails where it accesses memory that is not its own.
fn under_valgrind(command: &Command) -> Command {
    let mut watched = Command::new("valgrind");
    watched.args(["--quiet", "--error-exitcode=99", "--num-callers=30"]);
    watched.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            watched.env(name, value);
        }
    }
    watched
}
