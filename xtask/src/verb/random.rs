//! `random`: generated kernels, by the vector and the reference executor, which have to leave the same bits.

use crate::program::{capture, cargo, loud};
use crate::progress::{heading, parallel};
use crate::repository::{Profile, root};
use crate::{Result, verb};
use std::process::{Command, ExitCode};
use std::time::Duration;

#[derive(clap::Args)]
pub struct Options {
    /// The first seed; those that a GPU's bits are kept for begin with 0
    #[arg(long, default_value_t = 100_000)]
    seed: u64,
    /// How many seeds
    #[arg(long, default_value_t = 200)]
    count: u64,
}

/// Kernels of one process.
const BATCH: u64 = 25;
const LIMIT: Duration = Duration::from_secs(600);

/// Runs the kernels of the chosen seeds. Prints those that the executors disagree on, reduced, and fails if there are
/// any.
pub fn run(options: &Options) -> Result<ExitCode> {
    verb::build::build(Profile::Release)?;
    build()?;
    heading("Running random kernels");
    let end = options.seed + options.count;
    let batches: Vec<u64> = (options.seed..end).step_by(BATCH as usize).collect();
    let results = parallel(
        &batches,
        |first| format!("seeds from {first} on"),
        |&first| {
            let count = BATCH.min(end - first).to_string();
            let [vector, reference] = ["vector", "reference"].map(|executor| {
                let mut command = command(executor);
                command.args(["hash", &first.to_string(), &count]);
                capture(&mut command, LIMIT).map(|output| output.stdout)
            });
            let (vector, reference) = (vector?, reference?);
            // A process that crashed has fewer lines.
            if reference.lines().count().to_string() != count {
                return Err(format!("the reference executor ended early:\n{reference}").into());
            }
            let mut vector = vector.lines();
            let differing = reference.lines().filter(|line| vector.next() != Some(line));
            Ok(differing.filter_map(|line| line.split(' ').next()?.parse().ok()).collect())
        },
        |result: &Result<Vec<u64>>| result.as_ref().is_ok_and(Vec::is_empty),
    );
    let mut failed = false;
    for result in results {
        for seed in result? {
            failed = true;
            println!("\nseed {seed}: the executors differ; reduced:");
            loud(command("vector").args(["reduce", &seed.to_string()]))?;
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Builds the program that makes and runs the kernels.
pub fn build() -> Result<()> {
    loud(cargo().args(["build", "--release", "--package", "differential", "--bin", "random"]))
}

/// The program, for the staged release. What is no executor of the CPU is a device.
fn command(executor: &str) -> Command {
    let (device, executor) = match executor.strip_prefix("emu:") {
        Some(_) => (executor, "vector"),
        None => ("cpu", executor),
    };
    let mut command = Command::new(Profile::Release.folder().join("random"));
    command
        .arg(Profile::Release.staged().join("libcuda.so.1"))
        .env("ZLUDA_EXECUTOR", executor)
        .env("ZLUDA_DEVICE", device)
        .env("ZLUDA_CACHE", "0");
    command
}

/// Compares a part of the kernels with what a GPU left.
pub fn check(executor: &str, answers: &str, part: usize, parts: usize) -> Command {
    let mut command = command(executor);
    command
        .arg("check")
        .arg(root().join("tests/differential/answers").join(answers))
        .arg(format!("{part}/{parts}"));
    command
}

/// Runs the kernels that are kept with what they leave.
pub fn check_kept(executor: &str) -> Command {
    let mut command = command(executor);
    command.arg("check-kept").arg(root().join("tests/differential/kernels"));
    command
}
